/* The part of <fencepost/linux.h> whose names <stdatomic.h> does not have: accesses, barriers, exchanges and spin
   locks. The accesses to volatile objects in this file are relaxed atomics. */
#ifndef _FP_LINUX_BARRIERS_H
#define _FP_LINUX_BARRIERS_H
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
#ifdef __FENCEPOST__
#define BUG_ON(x) __fp_assert(!(x), "BUG_ON(" #x ")")
#define BUG() __fp_assert(0, "BUG()")
#define __FP_MUST(x, text) __fp_assert(!!(x), text)
#define __FP_WARN(x, text) __extension__ ({ bool __fp_bad = !!(x); __fp_assert(!__fp_bad, text); __fp_bad; })
/* What only C11's own model knows: on x86 it is no instruction. */
void __fp_order_fence(int);
#else
#define BUG_ON(x) assert(!(x))
#define BUG() assert(0)
#define __FP_MUST(x, text) assert((x) && text)
#define __FP_WARN(x, text) __extension__ ({ bool __fp_bad = !!(x); assert(!__fp_bad); __fp_bad; })
#define __fp_order_fence(order) barrier()
#endif

/* What the kernel warns of is an error, too. */
#define WARN_ON(x) __FP_WARN(x, "WARN_ON(" #x ")")
#define WARN_ON_ONCE(x) __FP_WARN(x, "WARN_ON_ONCE(" #x ")")
#define WARN(x, ...) __FP_WARN(x, "WARN(" #x ")")
#define WARN_ONCE(x, ...) __FP_WARN(x, "WARN_ONCE(" #x ")")

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) do { *(volatile __typeof__(x) *)&(x) = (v); } while (0)
#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))

#define barrier() __asm__ volatile("" : : : "memory")
#define cpu_relax() __asm__ volatile("pause" : : : "memory")
#define mb() __sync_synchronize()
#define rmb() __fp_order_fence(__ATOMIC_ACQUIRE)
#define wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define dma_rmb() rmb()
#define dma_wmb() wmb()
#define smp_mb() __sync_synchronize()
#define smp_rmb() __fp_order_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_read_barrier_depends() ((void)0)
#define smp_mb__before_atomic() __fp_order_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_atomic() __fp_order_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_spinlock() __fp_order_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_unlock_lock() __fp_order_fence(__ATOMIC_SEQ_CST)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_mb(x, v) ((void)__atomic_exchange_n(&(x), (v), __ATOMIC_SEQ_CST))
#define smp_cond_load_relaxed(p, cond) __extension__ ({ \
    __typeof__(*(p)) VAL; \
    while (VAL = READ_ONCE(*(p)), !(cond)) \
      cpu_relax(); \
    VAL; })
#define smp_cond_load_acquire(p, cond) __extension__ ({ \
    __typeof__(*(p)) VAL; \
    while (VAL = smp_load_acquire(p), !(cond)) \
      cpu_relax(); \
    VAL; })
#define smp_acquire__after_ctrl_dep() smp_rmb()

#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_CONSUME)
#define rcu_dereference_check(p, c) rcu_dereference(p)
#define rcu_dereference_protected(p, c) (p)
#define rcu_dereference_bh(p) rcu_dereference(p)
#define rcu_dereference_sched(p) rcu_dereference(p)
#define rcu_dereference_raw(p) rcu_dereference(p)
#define rcu_access_pointer(p) READ_ONCE(p)
#define RCU_INIT_POINTER(p, v) WRITE_ONCE(p, v)

#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)
#define cmpxchg(p, o, n) __sync_val_compare_and_swap((p), (o), (n))
#define cmpxchg_relaxed cmpxchg
#define cmpxchg_acquire cmpxchg
#define cmpxchg_release cmpxchg
#define cmpxchg64 cmpxchg
#define try_cmpxchg64 try_cmpxchg
#define try_cmpxchg(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define try_cmpxchg_relaxed(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define try_cmpxchg_acquire(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define try_cmpxchg_release(p, o, n) __atomic_compare_exchange_n((p), (o), (n), 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)

/* A spin lock: taking it is a locked instruction, giving it back a release store. */
typedef struct { pthread_spinlock_t __fp_word; } spinlock_t;
typedef spinlock_t raw_spinlock_t;
typedef spinlock_t arch_spinlock_t;
#define __SPIN_LOCK_UNLOCKED(x) { 0 }
#define __RAW_SPIN_LOCK_UNLOCKED(x) { 0 }
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
#define raw_spin_lock_init(l) spin_lock_init(l)
#define raw_spin_lock_irq(l) spin_lock(l)
#define raw_spin_unlock_irq(l) spin_unlock(l)
#define raw_spin_lock_irqsave(l, flags) spin_lock_irqsave(l, flags)
#define raw_spin_unlock_irqrestore(l, flags) spin_unlock_irqrestore(l, flags)
#define spin_trylock_irqsave(l, flags) ((flags) = 0, spin_trylock(l))
#define spin_trylock_bh(l) spin_trylock(l)
#define spin_lock_nested(l, subclass) spin_lock(l)
#define assert_spin_locked(l) BUG_ON(!spin_is_locked(l))
#define arch_spin_lock(l) spin_lock(l)
#define arch_spin_trylock(l) spin_trylock(l)
#define arch_spin_unlock(l) spin_unlock(l)
#endif
