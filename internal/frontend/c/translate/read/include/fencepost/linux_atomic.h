/* The part of <fencepost/linux.h> whose names <stdatomic.h> has, too: operations on atomic_t, atomic64_t and
   atomic_long_t. */
#ifndef _FP_LINUX_ATOMIC_H
#define _FP_LINUX_ATOMIC_H
#if defined(_FP_STDATOMIC_H) || defined(atomic_load_explicit)
#error "<fencepost/linux.h> and <stdatomic.h> give different meanings to the same names"
#endif
#include <fencepost/linux_barriers.h>

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
#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
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
#define atomic_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_inc_return_relaxed(v) atomic_add_return_relaxed(1, v)
#define atomic_dec_return_relaxed(v) atomic_sub_return_relaxed(1, v)
#define atomic_fetch_inc_relaxed(v) atomic_fetch_add_relaxed(1, v)
#define atomic_fetch_dec_relaxed(v) atomic_fetch_sub_relaxed(1, v)
#define atomic_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, (i))
#define atomic_cmpxchg_relaxed(v, o, n) cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_relaxed(v, o, n) try_cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_inc_return_acquire(v) atomic_add_return_acquire(1, v)
#define atomic_dec_return_acquire(v) atomic_sub_return_acquire(1, v)
#define atomic_fetch_inc_acquire(v) atomic_fetch_add_acquire(1, v)
#define atomic_fetch_dec_acquire(v) atomic_fetch_sub_acquire(1, v)
#define atomic_xchg_acquire(v, i) xchg_acquire(&(v)->counter, (i))
#define atomic_cmpxchg_acquire(v, o, n) cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_acquire(v, o, n) try_cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_inc_return_release(v) atomic_add_return_release(1, v)
#define atomic_dec_return_release(v) atomic_sub_return_release(1, v)
#define atomic_fetch_inc_release(v) atomic_fetch_add_release(1, v)
#define atomic_fetch_dec_release(v) atomic_fetch_sub_release(1, v)
#define atomic_xchg_release(v, i) xchg_release(&(v)->counter, (i))
#define atomic_cmpxchg_release(v, o, n) cmpxchg_release(&(v)->counter, (o), (n))
#define atomic_try_cmpxchg_release(v, o, n) try_cmpxchg_release(&(v)->counter, (o), (n))
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
#define atomic_fetch_andnot(i, v) atomic_fetch_and(~(i), v)
static inline int atomic_dec_if_positive(atomic_t *v) {
  int c = READ_ONCE(v->counter);
  while (c > 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c - 1;
}
static inline bool atomic_inc_unless_negative(atomic_t *v) {
  int c = READ_ONCE(v->counter);
  while (c >= 0 && !try_cmpxchg(&v->counter, &c, c + 1))
    ;
  return c >= 0;
}
static inline bool atomic_dec_unless_positive(atomic_t *v) {
  int c = READ_ONCE(v->counter);
  while (c <= 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c <= 0;
}

#define atomic64_read(v) READ_ONCE((v)->counter)
#define atomic64_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic64_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic64_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic64_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic64_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic64_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic64_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic64_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
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
#define atomic64_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic64_inc_return_relaxed(v) atomic64_add_return_relaxed(1, v)
#define atomic64_dec_return_relaxed(v) atomic64_sub_return_relaxed(1, v)
#define atomic64_fetch_inc_relaxed(v) atomic64_fetch_add_relaxed(1, v)
#define atomic64_fetch_dec_relaxed(v) atomic64_fetch_sub_relaxed(1, v)
#define atomic64_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, (i))
#define atomic64_cmpxchg_relaxed(v, o, n) cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_relaxed(v, o, n) try_cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic64_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic64_inc_return_acquire(v) atomic64_add_return_acquire(1, v)
#define atomic64_dec_return_acquire(v) atomic64_sub_return_acquire(1, v)
#define atomic64_fetch_inc_acquire(v) atomic64_fetch_add_acquire(1, v)
#define atomic64_fetch_dec_acquire(v) atomic64_fetch_sub_acquire(1, v)
#define atomic64_xchg_acquire(v, i) xchg_acquire(&(v)->counter, (i))
#define atomic64_cmpxchg_acquire(v, o, n) cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_acquire(v, o, n) try_cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic64_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic64_inc_return_release(v) atomic64_add_return_release(1, v)
#define atomic64_dec_return_release(v) atomic64_sub_return_release(1, v)
#define atomic64_fetch_inc_release(v) atomic64_fetch_add_release(1, v)
#define atomic64_fetch_dec_release(v) atomic64_fetch_sub_release(1, v)
#define atomic64_xchg_release(v, i) xchg_release(&(v)->counter, (i))
#define atomic64_cmpxchg_release(v, o, n) cmpxchg_release(&(v)->counter, (o), (n))
#define atomic64_try_cmpxchg_release(v, o, n) try_cmpxchg_release(&(v)->counter, (o), (n))
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
#define atomic64_fetch_andnot(i, v) atomic64_fetch_and(~(i), v)
static inline long atomic64_dec_if_positive(atomic64_t *v) {
  long c = READ_ONCE(v->counter);
  while (c > 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c - 1;
}
static inline bool atomic64_inc_unless_negative(atomic64_t *v) {
  long c = READ_ONCE(v->counter);
  while (c >= 0 && !try_cmpxchg(&v->counter, &c, c + 1))
    ;
  return c >= 0;
}
static inline bool atomic64_dec_unless_positive(atomic64_t *v) {
  long c = READ_ONCE(v->counter);
  while (c <= 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c <= 0;
}

#define atomic_long_read(v) READ_ONCE((v)->counter)
#define atomic_long_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_long_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_long_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_long_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_long_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
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
#define atomic_long_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_long_inc_return_relaxed(v) atomic_long_add_return_relaxed(1, v)
#define atomic_long_dec_return_relaxed(v) atomic_long_sub_return_relaxed(1, v)
#define atomic_long_fetch_inc_relaxed(v) atomic_long_fetch_add_relaxed(1, v)
#define atomic_long_fetch_dec_relaxed(v) atomic_long_fetch_sub_relaxed(1, v)
#define atomic_long_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, (i))
#define atomic_long_cmpxchg_relaxed(v, o, n) cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_relaxed(v, o, n) try_cmpxchg_relaxed(&(v)->counter, (o), (n))
#define atomic_long_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_long_inc_return_acquire(v) atomic_long_add_return_acquire(1, v)
#define atomic_long_dec_return_acquire(v) atomic_long_sub_return_acquire(1, v)
#define atomic_long_fetch_inc_acquire(v) atomic_long_fetch_add_acquire(1, v)
#define atomic_long_fetch_dec_acquire(v) atomic_long_fetch_sub_acquire(1, v)
#define atomic_long_xchg_acquire(v, i) xchg_acquire(&(v)->counter, (i))
#define atomic_long_cmpxchg_acquire(v, o, n) cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_acquire(v, o, n) try_cmpxchg_acquire(&(v)->counter, (o), (n))
#define atomic_long_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_long_inc_return_release(v) atomic_long_add_return_release(1, v)
#define atomic_long_dec_return_release(v) atomic_long_sub_return_release(1, v)
#define atomic_long_fetch_inc_release(v) atomic_long_fetch_add_release(1, v)
#define atomic_long_fetch_dec_release(v) atomic_long_fetch_sub_release(1, v)
#define atomic_long_xchg_release(v, i) xchg_release(&(v)->counter, (i))
#define atomic_long_cmpxchg_release(v, o, n) cmpxchg_release(&(v)->counter, (o), (n))
#define atomic_long_try_cmpxchg_release(v, o, n) try_cmpxchg_release(&(v)->counter, (o), (n))
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
#define atomic_long_fetch_andnot(i, v) atomic_long_fetch_and(~(i), v)
static inline long atomic_long_dec_if_positive(atomic_long_t *v) {
  long c = READ_ONCE(v->counter);
  while (c > 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c - 1;
}
static inline bool atomic_long_inc_unless_negative(atomic_long_t *v) {
  long c = READ_ONCE(v->counter);
  while (c >= 0 && !try_cmpxchg(&v->counter, &c, c + 1))
    ;
  return c >= 0;
}
static inline bool atomic_long_dec_unless_positive(atomic_long_t *v) {
  long c = READ_ONCE(v->counter);
  while (c <= 0 && !try_cmpxchg(&v->counter, &c, c - 1))
    ;
  return c <= 0;
}
#endif
