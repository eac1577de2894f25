/* RCU and SRCU of the Linux kernel, in litmus tests. A grace period waits for every read-side section that began before it, and is a
   fence for all threads at its beginning and at its end. To begin or to end a section orders nothing by itself: it is a
   store, which the next fence for all threads makes visible. Threads are counted from 0 in the order in which they are
   created; what includes this file says how many there are, how many sections of SRCU each of them has at most, and
   which threads have sections. */
#ifndef _FP_LINUX_RCU_LITMUS_H
#define _FP_LINUX_RCU_LITMUS_H
#include <fencepost/linux_barriers.h>

void __fp_global_fence(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

/* Of each thread, how many sections it has begun, and in the lower eight bits how deep it is inside of one. */
static volatile unsigned __fp_rcu_reader[__FP_RCU_THREADS];
#define __FP_RCU_DEPTH 0xffu

static inline void rcu_read_lock(void) {
  unsigned word = __fp_rcu_reader[pthread_self() - 1];
  __fp_rcu_reader[pthread_self() - 1] = word & __FP_RCU_DEPTH ? word + 1 : word + __FP_RCU_DEPTH + 2;
}

static inline void rcu_read_unlock(void) { __fp_rcu_reader[pthread_self() - 1]--; }

/* A grace period is two steps: its beginning notes who is inside, and its end is possible once they have left. */
#define __FP_RCU_SEEN(thread) unsigned seen##thread = __fp_rcu_reader[thread];
#define __FP_RCU_WAIT(thread) \
  if (seen##thread & __FP_RCU_DEPTH) { \
    unsigned now = __fp_rcu_reader[thread]; \
    __VERIFIER_assume(!(now & __FP_RCU_DEPTH) || (now ^ seen##thread) > __FP_RCU_DEPTH); \
  }
static inline void synchronize_rcu(void) {
  __VERIFIER_atomic_begin();
  __fp_global_fence();
  __FP_RCU_EACH(__FP_RCU_SEEN)
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __FP_RCU_EACH(__FP_RCU_WAIT)
  __fp_global_fence();
  __VERIFIER_atomic_end();
}
#define synchronize_rcu_expedited() synchronize_rcu()

/* SRCU: every section has a flag of its own, which is used once. */
struct srcu_struct {
  volatile unsigned char __fp_inside[__FP_RCU_THREADS * __FP_SRCU_SECTIONS];
};
static __thread unsigned __fp_srcu_count;

static inline int srcu_read_lock(struct srcu_struct *s) {
  assert(__fp_srcu_count < __FP_SRCU_SECTIONS);
  int section = (pthread_self() - 1) * __FP_SRCU_SECTIONS + __fp_srcu_count++;
  s->__fp_inside[section] = 1;
  return section;
}

static inline void srcu_read_unlock(struct srcu_struct *s, int section) { s->__fp_inside[section] = 0; }
#define srcu_down_read(s) srcu_read_lock(s)
#define srcu_up_read(s, section) srcu_read_unlock(s, section)
#define smp_mb__after_srcu_read_unlock() smp_mb()

#define __FP_SRCU_SEEN(section) unsigned char seen##section = s->__fp_inside[section];
#define __FP_SRCU_WAIT(section) if (seen##section) __VERIFIER_assume(!s->__fp_inside[section]);
static inline void synchronize_srcu(struct srcu_struct *s) {
  __VERIFIER_atomic_begin();
  __fp_global_fence();
  __FP_SRCU_EACH(__FP_SRCU_SEEN)
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_begin();
  __FP_SRCU_EACH(__FP_SRCU_WAIT)
  __fp_global_fence();
  __VERIFIER_atomic_end();
}
#define synchronize_srcu_expedited(s) synchronize_srcu(s)
#endif
