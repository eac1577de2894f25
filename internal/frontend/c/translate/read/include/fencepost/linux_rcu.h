/* The part of <fencepost/linux.h> about RCU and SRCU. A grace period waits for every read-side section that began before
   it, and is a fence for all threads at its beginning and at its end. To begin or to end a section orders nothing by
   itself: it is a store, which the next fence for all threads makes visible. */
#ifndef _FP_LINUX_RCU_H
#define _FP_LINUX_RCU_H
#include <stdlib.h>
#include <fencepost/linux_atomic.h>

/* The first sixteen threads can have read-side sections. */
#define __FP_RCU_THREADS 16
#define __FP_RCU_EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)

#ifdef __FENCEPOST__
void __fp_global_fence(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#define __fp_rcu_me() ((unsigned)pthread_self() - 1)
#else
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#define __fp_global_fence() ((void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0))
#define __VERIFIER_atomic_begin() ((void)0)
#define __VERIFIER_atomic_end() ((void)0)
static unsigned __fp_rcu_known;
static __thread unsigned __fp_rcu_number;
static inline unsigned __fp_rcu_me(void) {
  if (!__fp_rcu_number)
    __fp_rcu_number = __atomic_add_fetch(&__fp_rcu_known, 1, __ATOMIC_RELAXED);
  return __fp_rcu_number - 1;
}
#endif

/* Of each thread, how many sections it has begun, and in the lower eight bits how deep it is inside of one. */
struct __fp_rcu_readers { unsigned reader[__FP_RCU_THREADS]; };
#define __FP_RCU_DEPTH 0xffu
static inline unsigned *__fp_rcu_mine(struct __fp_rcu_readers *r) {
  unsigned me = __fp_rcu_me();
  __FP_MUST(me < __FP_RCU_THREADS, "only the first sixteen threads can have read-side sections");
  return &r->reader[me];
}
static inline void __fp_rcu_enter(struct __fp_rcu_readers *r) {
  unsigned *mine = __fp_rcu_mine(r), word = READ_ONCE(*mine);
  WRITE_ONCE(*mine, word & __FP_RCU_DEPTH ? word + 1 : word + __FP_RCU_DEPTH + 2);
}
static inline void __fp_rcu_leave(struct __fp_rcu_readers *r) {
  unsigned *mine = __fp_rcu_mine(r), word = READ_ONCE(*mine);
  __FP_MUST(word & __FP_RCU_DEPTH, "rcu_read_unlock without rcu_read_lock");
  __fp_order_fence(__ATOMIC_RELEASE);
  WRITE_ONCE(*mine, word - 1);
}
#define __FP_RCU_SEEN(thread) unsigned seen##thread = READ_ONCE(r->reader[thread]);
#define __FP_RCU_WAIT(thread) \
  if (seen##thread & __FP_RCU_DEPTH) \
    for (;;) { \
      unsigned now = READ_ONCE(r->reader[thread]); \
      if (!(now & __FP_RCU_DEPTH) || (now ^ seen##thread) > __FP_RCU_DEPTH) \
        break; \
      cpu_relax(); \
    }
static inline void __fp_rcu_wait(struct __fp_rcu_readers *r) {
  if (__fp_rcu_me() < __FP_RCU_THREADS) /* it would wait for itself */
    __FP_MUST(!(READ_ONCE(*__fp_rcu_mine(r)) & __FP_RCU_DEPTH), "a grace period inside of a read-side section of the same thread");
  __fp_global_fence();
  __VERIFIER_atomic_begin();
  __FP_RCU_EACH(__FP_RCU_SEEN)
  __VERIFIER_atomic_end();
  __FP_RCU_EACH(__FP_RCU_WAIT)
  __fp_order_fence(__ATOMIC_ACQUIRE);
  __fp_global_fence();
}

static struct __fp_rcu_readers __fp_rcu;
#define rcu_read_lock() __fp_rcu_enter(&__fp_rcu)
#define rcu_read_unlock() __fp_rcu_leave(&__fp_rcu)
#define rcu_read_lock_held() ((READ_ONCE(*__fp_rcu_mine(&__fp_rcu)) & __FP_RCU_DEPTH) != 0)
#define rcu_read_lock_bh() rcu_read_lock()
#define rcu_read_unlock_bh() rcu_read_unlock()
#define rcu_read_lock_sched() rcu_read_lock()
#define rcu_read_unlock_sched() rcu_read_unlock()
#define synchronize_rcu() __fp_rcu_wait(&__fp_rcu)
#define synchronize_rcu_expedited() synchronize_rcu()
#define synchronize_net() synchronize_rcu()

/* A callback runs in a thread of its own, after a grace period. */
struct rcu_head {
  struct rcu_head *next;
  void (*func)(struct rcu_head *);
};
#define callback_head rcu_head
static int __fp_rcu_pending;
static inline void *__fp_rcu_callback(void *arg) {
  struct rcu_head *head = arg;
  synchronize_rcu();
  head->func(head);
  __atomic_fetch_sub(&__fp_rcu_pending, 1, __ATOMIC_SEQ_CST);
  return NULL;
}
static inline void *__fp_rcu_free(void *block) {
  synchronize_rcu();
  free(block);
  __atomic_fetch_sub(&__fp_rcu_pending, 1, __ATOMIC_SEQ_CST);
  return NULL;
}
static inline void __fp_rcu_later(void *(*function)(void *), void *arg) {
  pthread_t t;
  __atomic_fetch_add(&__fp_rcu_pending, 1, __ATOMIC_SEQ_CST);
  pthread_create(&t, NULL, function, arg);
  pthread_detach(t);
}
static inline void call_rcu(struct rcu_head *head, void (*function)(struct rcu_head *)) {
  head->func = function;
  __fp_rcu_later(__fp_rcu_callback, head);
}
#define kfree_rcu(p, ...) __fp_rcu_later(__fp_rcu_free, (p))
static inline void rcu_barrier(void) {
  while (smp_load_acquire(&__fp_rcu_pending) != 0)
    cpu_relax();
}

/* SRCU: readers of each domain by themselves. */
struct srcu_struct { struct __fp_rcu_readers __fp_readers; };
#define DEFINE_SRCU(name) struct srcu_struct name
#define DEFINE_STATIC_SRCU(name) static struct srcu_struct name
#define init_srcu_struct(s) (memset((s), 0, sizeof *(s)), 0)
#define cleanup_srcu_struct(s) ((void)(s))
static inline int srcu_read_lock(struct srcu_struct *s) {
  __fp_rcu_enter(&s->__fp_readers);
  return 0;
}
static inline void srcu_read_unlock(struct srcu_struct *s, int section) {
  (void)section;
  __fp_rcu_leave(&s->__fp_readers);
}
#define srcu_dereference(p, s) rcu_dereference(p)
#define synchronize_srcu(s) __fp_rcu_wait(&(s)->__fp_readers)
#define synchronize_srcu_expedited(s) synchronize_srcu(s)
#define smp_mb__after_srcu_read_unlock() smp_mb()
#endif
