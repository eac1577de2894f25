/* The memory primitives of the Linux kernel, as it has them on x86; smp_wmb and
   the release operations order stores under PSO too. A compiler takes this file as
   well as fencepost does. */
#ifndef _FP_LINUX_H
#define _FP_LINUX_H
#if defined(_FP_STDATOMIC_H) || defined(atomic_load_explicit)
#error "<fencepost/linux.h> and <stdatomic.h> give different meanings to the same names"
#endif
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BUG_ON(x) assert(!(x))
#define BUG() assert(0)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) do { *(volatile __typeof__(x) *)&(x) = (v); } while (0)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))

#define barrier() __asm__ volatile("" : : : "memory")
#define cpu_relax() __asm__ volatile("pause" : : : "memory")
#define mb() __sync_synchronize()
#define rmb() barrier()
#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb() __sync_synchronize()
#define smp_rmb() barrier()
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_read_barrier_depends() ((void)0)
#define smp_mb__before_atomic() barrier()
#define smp_mb__after_atomic() barrier()
#define smp_mb__after_spinlock() barrier()
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_mb(x, v) ((void)__atomic_exchange_n(&(x), (v), __ATOMIC_SEQ_CST))
#define smp_cond_load_relaxed(p, cond) __extension__ ({ \
    __typeof__(*(p)) VAL; \
    while (VAL = READ_ONCE(*(p)), !(cond)) \
      cpu_relax(); \
    VAL; })
#define smp_cond_load_acquire(p, cond) smp_cond_load_relaxed(p, cond)

#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)

#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define xchg_relaxed xchg
#define xchg_acquire xchg
#define xchg_release xchg
#define cmpxchg(p, o, n) __sync_val_compare_and_swap((p), (o), (n))
#define cmpxchg_relaxed cmpxchg
#define cmpxchg_acquire cmpxchg
#define cmpxchg_release cmpxchg
#define try_cmpxchg(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define try_cmpxchg_relaxed try_cmpxchg
#define try_cmpxchg_acquire try_cmpxchg
#define try_cmpxchg_release try_cmpxchg

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic64_t;
typedef atomic64_t atomic_long_t;
#define ATOMIC_INIT(i) { (i) }
#define ATOMIC64_INIT(i) { (i) }
#define ATOMIC_LONG_INIT(i) { (i) }

#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_andnot(i, v) atomic_and(~(i), v)
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic_add_return(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_add(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_and(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_or(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_fetch_inc(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec(v) atomic_fetch_sub(1, v)
#define atomic_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return_relaxed(v) atomic_add_return(1, v)
#define atomic_dec_return_relaxed(v) atomic_sub_return(1, v)
#define atomic_fetch_inc_relaxed(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec_relaxed(v) atomic_fetch_sub(1, v)
#define atomic_xchg_relaxed(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg_relaxed(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_relaxed(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return_acquire(v) atomic_add_return(1, v)
#define atomic_dec_return_acquire(v) atomic_sub_return(1, v)
#define atomic_fetch_inc_acquire(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec_acquire(v) atomic_fetch_sub(1, v)
#define atomic_xchg_acquire(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg_acquire(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_acquire(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return_release(v) atomic_add_return(1, v)
#define atomic_dec_return_release(v) atomic_sub_return(1, v)
#define atomic_fetch_inc_release(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec_release(v) atomic_fetch_sub(1, v)
#define atomic_xchg_release(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg_release(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_release(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_sub_and_test(i, v) (atomic_sub_return(i, v) == 0)
#define atomic_dec_and_test(v) (atomic_sub_return(1, v) == 0)
#define atomic_inc_and_test(v) (atomic_add_return(1, v) == 0)
#define atomic_add_negative(i, v) (atomic_add_return(i, v) < 0)
static inline int atomic_fetch_add_unless(atomic_t *v, int a, int u) {
  int c = READ_ONCE(v->counter);
  while (c != u && !try_cmpxchg(&v->counter, &c, c + a))
    ;
  return c;
}
#define atomic_add_unless(v, a, u) (atomic_fetch_add_unless(v, a, u) != (u))
#define atomic_inc_not_zero(v) atomic_add_unless(v, 1, 0)

#define atomic64_read(v) READ_ONCE((v)->counter)
#define atomic64_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic64_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic64_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic64_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic64_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic64_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic64_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic64_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic64_andnot(i, v) atomic64_and(~(i), v)
#define atomic64_inc(v) atomic64_add(1, v)
#define atomic64_dec(v) atomic64_sub(1, v)
#define atomic64_add_return(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_sub_return(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_add(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_sub(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_and(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_or(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_xor(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_inc_return(v) atomic64_add_return(1, v)
#define atomic64_dec_return(v) atomic64_sub_return(1, v)
#define atomic64_fetch_inc(v) atomic64_fetch_add(1, v)
#define atomic64_fetch_dec(v) atomic64_fetch_sub(1, v)
#define atomic64_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic64_cmpxchg(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic64_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_inc_return_relaxed(v) atomic64_add_return(1, v)
#define atomic64_dec_return_relaxed(v) atomic64_sub_return(1, v)
#define atomic64_fetch_inc_relaxed(v) atomic64_fetch_add(1, v)
#define atomic64_fetch_dec_relaxed(v) atomic64_fetch_sub(1, v)
#define atomic64_xchg_relaxed(v, i) xchg(&(v)->counter, (i))
#define atomic64_cmpxchg_relaxed(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_relaxed(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic64_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_inc_return_acquire(v) atomic64_add_return(1, v)
#define atomic64_dec_return_acquire(v) atomic64_sub_return(1, v)
#define atomic64_fetch_inc_acquire(v) atomic64_fetch_add(1, v)
#define atomic64_fetch_dec_acquire(v) atomic64_fetch_sub(1, v)
#define atomic64_xchg_acquire(v, i) xchg(&(v)->counter, (i))
#define atomic64_cmpxchg_acquire(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_acquire(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic64_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic64_inc_return_release(v) atomic64_add_return(1, v)
#define atomic64_dec_return_release(v) atomic64_sub_return(1, v)
#define atomic64_fetch_inc_release(v) atomic64_fetch_add(1, v)
#define atomic64_fetch_dec_release(v) atomic64_fetch_sub(1, v)
#define atomic64_xchg_release(v, i) xchg(&(v)->counter, (i))
#define atomic64_cmpxchg_release(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_release(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic64_sub_and_test(i, v) (atomic64_sub_return(i, v) == 0)
#define atomic64_dec_and_test(v) (atomic64_sub_return(1, v) == 0)
#define atomic64_inc_and_test(v) (atomic64_add_return(1, v) == 0)
#define atomic64_add_negative(i, v) (atomic64_add_return(i, v) < 0)
static inline long atomic64_fetch_add_unless(atomic64_t *v, long a, long u) {
  long c = READ_ONCE(v->counter);
  while (c != u && !try_cmpxchg(&v->counter, &c, c + a))
    ;
  return c;
}
#define atomic64_add_unless(v, a, u) (atomic64_fetch_add_unless(v, a, u) != (u))
#define atomic64_inc_not_zero(v) atomic64_add_unless(v, 1, 0)

#define atomic_long_read(v) READ_ONCE((v)->counter)
#define atomic_long_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_long_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_long_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_long_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_long_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_long_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_long_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_long_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST))
#define atomic_long_andnot(i, v) atomic_long_and(~(i), v)
#define atomic_long_inc(v) atomic_long_add(1, v)
#define atomic_long_dec(v) atomic_long_sub(1, v)
#define atomic_long_add_return(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_sub_return(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_add(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_sub(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_and(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_or(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_inc_return(v) atomic_long_add_return(1, v)
#define atomic_long_dec_return(v) atomic_long_sub_return(1, v)
#define atomic_long_fetch_inc(v) atomic_long_fetch_add(1, v)
#define atomic_long_fetch_dec(v) atomic_long_fetch_sub(1, v)
#define atomic_long_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic_long_cmpxchg(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_inc_return_relaxed(v) atomic_long_add_return(1, v)
#define atomic_long_dec_return_relaxed(v) atomic_long_sub_return(1, v)
#define atomic_long_fetch_inc_relaxed(v) atomic_long_fetch_add(1, v)
#define atomic_long_fetch_dec_relaxed(v) atomic_long_fetch_sub(1, v)
#define atomic_long_xchg_relaxed(v, i) xchg(&(v)->counter, (i))
#define atomic_long_cmpxchg_relaxed(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_relaxed(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_inc_return_acquire(v) atomic_long_add_return(1, v)
#define atomic_long_dec_return_acquire(v) atomic_long_sub_return(1, v)
#define atomic_long_fetch_inc_acquire(v) atomic_long_fetch_add(1, v)
#define atomic_long_fetch_dec_acquire(v) atomic_long_fetch_sub(1, v)
#define atomic_long_xchg_acquire(v, i) xchg(&(v)->counter, (i))
#define atomic_long_cmpxchg_acquire(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_acquire(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_long_inc_return_release(v) atomic_long_add_return(1, v)
#define atomic_long_dec_return_release(v) atomic_long_sub_return(1, v)
#define atomic_long_fetch_inc_release(v) atomic_long_fetch_add(1, v)
#define atomic_long_fetch_dec_release(v) atomic_long_fetch_sub(1, v)
#define atomic_long_xchg_release(v, i) xchg(&(v)->counter, (i))
#define atomic_long_cmpxchg_release(v, o, n) cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_release(v, o, n) try_cmpxchg(&(v)->counter, (o), (n))
#define atomic_long_sub_and_test(i, v) (atomic_long_sub_return(i, v) == 0)
#define atomic_long_dec_and_test(v) (atomic_long_sub_return(1, v) == 0)
#define atomic_long_inc_and_test(v) (atomic_long_add_return(1, v) == 0)
#define atomic_long_add_negative(i, v) (atomic_long_add_return(i, v) < 0)
static inline long atomic_long_fetch_add_unless(atomic_long_t *v, long a, long u) {
  long c = READ_ONCE(v->counter);
  while (c != u && !try_cmpxchg(&v->counter, &c, c + a))
    ;
  return c;
}
#define atomic_long_add_unless(v, a, u) (atomic_long_fetch_add_unless(v, a, u) != (u))
#define atomic_long_inc_not_zero(v) atomic_long_add_unless(v, 1, 0)


/* A spin lock: taking it is a locked instruction, giving it back a release store. */
typedef struct { pthread_spinlock_t __fp_word; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
typedef spinlock_t arch_spinlock_t;
#define __SPIN_LOCK_UNLOCKED(x) { 0 }
#define DEFINE_SPINLOCK(x) spinlock_t x = { 0 }
#define DEFINE_RAW_SPINLOCK(x) raw_spinlock_t x = { 0 }
#define spin_lock_init(l) ((void)pthread_spin_init(&(l)->__fp_word, 0))
#define spin_lock(l) ((void)pthread_spin_lock(&(l)->__fp_word))
#define spin_trylock(l) (pthread_spin_trylock(&(l)->__fp_word) == 0)
#define spin_unlock(l) ((void)pthread_spin_unlock(&(l)->__fp_word))
#define spin_is_locked(l) ((l)->__fp_word != 0)
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define arch_spin_lock(l) spin_lock(l)
#define arch_spin_trylock(l) spin_trylock(l)
#define arch_spin_unlock(l) spin_unlock(l)
#endif
