/* The part of <fencepost/linux.h> about single bits, and about numbers of references. */
#ifndef _FP_LINUX_BITS_H
#define _FP_LINUX_BITS_H
#include <fencepost/linux_atomic.h>

#define BITS_PER_LONG 64
#define BIT(nr) (1UL << (nr))
#define BIT_MASK(nr) (1UL << ((nr) % BITS_PER_LONG))
#define BIT_WORD(nr) ((nr) / BITS_PER_LONG)
#define BITS_TO_LONGS(nr) (((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#define __fp_bit_word(nr, addr) (&((volatile unsigned long *)(addr))[BIT_WORD(nr)])

/* Atomic: locked instructions. */
#define set_bit(nr, addr) ((void)__atomic_fetch_or(__fp_bit_word(nr, addr), BIT_MASK(nr), __ATOMIC_RELAXED))
#define clear_bit(nr, addr) ((void)__atomic_fetch_and(__fp_bit_word(nr, addr), ~BIT_MASK(nr), __ATOMIC_RELAXED))
#define change_bit(nr, addr) ((void)__atomic_fetch_xor(__fp_bit_word(nr, addr), BIT_MASK(nr), __ATOMIC_RELAXED))
#define test_and_set_bit(nr, addr) ((__atomic_fetch_or(__fp_bit_word(nr, addr), BIT_MASK(nr), __ATOMIC_SEQ_CST) & BIT_MASK(nr)) != 0)
#define test_and_clear_bit(nr, addr) ((__atomic_fetch_and(__fp_bit_word(nr, addr), ~BIT_MASK(nr), __ATOMIC_SEQ_CST) & BIT_MASK(nr)) != 0)
#define test_and_change_bit(nr, addr) ((__atomic_fetch_xor(__fp_bit_word(nr, addr), BIT_MASK(nr), __ATOMIC_SEQ_CST) & BIT_MASK(nr)) != 0)
#define test_and_set_bit_lock(nr, addr) ((__atomic_fetch_or(__fp_bit_word(nr, addr), BIT_MASK(nr), __ATOMIC_ACQUIRE) & BIT_MASK(nr)) != 0)
#define clear_bit_unlock(nr, addr) ((void)__atomic_fetch_and(__fp_bit_word(nr, addr), ~BIT_MASK(nr), __ATOMIC_RELEASE))
/* Loads and stores. */
#define test_bit(nr, addr) ((READ_ONCE(*__fp_bit_word(nr, addr)) & BIT_MASK(nr)) != 0)
#define test_bit_acquire(nr, addr) ((smp_load_acquire(__fp_bit_word(nr, addr)) & BIT_MASK(nr)) != 0)
#define __set_bit(nr, addr) ((void)(((unsigned long *)(addr))[BIT_WORD(nr)] |= BIT_MASK(nr)))
#define __clear_bit(nr, addr) ((void)(((unsigned long *)(addr))[BIT_WORD(nr)] &= ~BIT_MASK(nr)))
#define __change_bit(nr, addr) ((void)(((unsigned long *)(addr))[BIT_WORD(nr)] ^= BIT_MASK(nr)))
#define __clear_bit_unlock(nr, addr) \
  smp_store_release(__fp_bit_word(nr, addr), READ_ONCE(*__fp_bit_word(nr, addr)) & ~BIT_MASK(nr))
static inline void bit_spin_lock(int nr, unsigned long *addr) {
  while (test_and_set_bit_lock(nr, addr))
    while (test_bit(nr, addr))
      cpu_relax();
}
#define bit_spin_trylock(nr, addr) (!test_and_set_bit_lock(nr, addr))
#define bit_spin_unlock(nr, addr) clear_bit_unlock(nr, addr)

/* Numbers of references. What the kernel warns of is an error. */
typedef struct { atomic_t refs; } refcount_t;
#define REFCOUNT_INIT(n) { ATOMIC_INIT(n) }
#define refcount_set(r, n) atomic_set(&(r)->refs, n)
#define refcount_read(r) ((unsigned)atomic_read(&(r)->refs))
static inline void refcount_add(int i, refcount_t *r) {
  int old = atomic_fetch_add_relaxed(i, &r->refs);
  __FP_MUST(old > 0, "a reference to an object without references");
}
static inline bool refcount_add_not_zero(int i, refcount_t *r) {
  int old = READ_ONCE(r->refs.counter);
  while (old != 0 && !try_cmpxchg_relaxed(&r->refs.counter, &old, old + i))
    ;
  return old != 0;
}
static inline bool refcount_sub_and_test(int i, refcount_t *r) {
  int old = atomic_fetch_sub_release(i, &r->refs);
  __FP_MUST(old >= i, "fewer references than are given back");
  if (old != i)
    return false;
  smp_acquire__after_ctrl_dep();
  return true;
}
#define refcount_inc(r) refcount_add(1, r)
#define refcount_inc_not_zero(r) refcount_add_not_zero(1, r)
#define refcount_dec_and_test(r) refcount_sub_and_test(1, r)
#define refcount_dec(r) ((void)refcount_sub_and_test(1, r))

struct kref { refcount_t refcount; };
#define KREF_INIT(n) { REFCOUNT_INIT(n) }
#define kref_init(k) refcount_set(&(k)->refcount, 1)
#define kref_read(k) refcount_read(&(k)->refcount)
#define kref_get(k) refcount_inc(&(k)->refcount)
#define kref_get_unless_zero(k) refcount_inc_not_zero(&(k)->refcount)
static inline int kref_put(struct kref *k, void (*release)(struct kref *)) {
  if (!refcount_dec_and_test(&k->refcount))
    return 0;
  release(k);
  return 1;
}
#endif
