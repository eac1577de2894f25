/* What the sources of musl need of musl's internal headers, for x86-64: the fields of objects, atomic operations, the
   thread itself, futex(2), cancellation that never happens. All names that programs use are renamed, so that musl's
   functions stand beside the models of fencepost.
   MUSL_SPINS says how often a loop looks again before it sleeps (0 to 50). */
#ifndef MUSL_STAND_IN
#define MUSL_STAND_IN

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef MUSL_SPINS
#define MUSL_SPINS 1
#endif

_Bool __VERIFIER_nondet_bool(void);

/* Objects. The list of mutexes that a thread holds needs _m_prev just before _m_next. */

typedef struct {
  int _m_type;
  volatile int _m_lock;
  volatile int _m_waiters;
  int _m_count;
  volatile void *volatile _m_prev;
  volatile void *volatile _m_next;
} musl_mutex_t;
typedef struct { unsigned __attr; } musl_mutexattr_t;

typedef struct {
  void *_c_shared;
  void *_c_head;
  void *_c_tail;
  volatile int _c_seq;
  volatile int _c_waiters;
  int _c_clock;
  volatile int _c_lock;
} musl_cond_t;
typedef struct { unsigned __attr; } musl_condattr_t;

typedef struct {
  volatile int _rw_lock;
  volatile int _rw_waiters;
  int _rw_shared;
} musl_rwlock_t;
typedef struct { unsigned __attr[2]; } musl_rwlockattr_t;

typedef struct {
  volatile int _b_lock;
  volatile int _b_waiters;
  int _b_limit;
  volatile int _b_count;
  volatile int _b_waiters2;
  void *_b_inst;
} musl_barrier_t;
typedef struct { unsigned __attr; } musl_barrierattr_t;

typedef struct { volatile int __val[4]; } musl_sem_t;
typedef int musl_once_t;

/* The thread itself. thread_begin is called first by every thread. */

struct musl_thread {
  int tid;
  struct {
    volatile void *volatile head;
    long off;
    volatile void *volatile pending;
  } robust_list;
};
static _Thread_local struct musl_thread musl_self;
static void thread_begin(int number) {
  musl_self.tid = number;
  musl_self.robust_list.head = &musl_self.robust_list.head;
}
#define __pthread_self() (&musl_self)

#include "musl_names.h"

#define hidden
#define weak_alias(old, new) extern int musl_alias

/* Atomic operations: locked instructions. */

static inline int a_cas(volatile int *p, int t, int s) { return __sync_val_compare_and_swap(p, t, s); }
static inline int a_swap(volatile int *p, int v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }
static inline int a_fetch_add(volatile int *p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
static inline void a_inc(volatile int *p) { a_fetch_add(p, 1); }
static inline void a_dec(volatile int *p) { a_fetch_add(p, -1); }
static inline void a_store(volatile int *p, int v) {
  *p = v;
  __sync_synchronize();
}
#define a_barrier() ((void)0)
/* A loop that spins counts down from 100 or 200 in spins. */
#define a_spin() if (spins % 100 + MUSL_SPINS >= 100) ; else break

/* System calls return the number of the error, negative. */

#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_REQUEUE 3
#define FUTEX_LOCK_PI 6
#define FUTEX_UNLOCK_PI 7
#define FUTEX_PRIVATE 128

/* A sleeping thread may wake without being woken, at any time: what it then does is all that sleeping allows, and a wake
   only has to drain. Mutexes with priority inheritance, which no client uses, would end here. */
static inline long musl_futex(volatile int *addr, int op, int val, const void *limit) {
  op &= ~FUTEX_PRIVATE;
  __sync_synchronize();
  if (op == FUTEX_LOCK_PI || op == FUTEX_UNLOCK_PI)
    __builtin_trap();
  if (op != FUTEX_WAIT)
    return 0;
  if (*addr != val)
    return -EAGAIN;
  return limit && __VERIFIER_nondet_bool() ? -ETIMEDOUT : __VERIFIER_nondet_bool() ? -EINTR : 0;
}
#define __syscall(...) musl_call(__VA_ARGS__, 0, 0, 0)
#define __syscall_cp __syscall
#define musl_call(number, a, b, c, d, ...) ((number) == SYS_futex ? musl_futex((volatile int *)(a), b, c, (const void *)(long)(d)) : 0)

static inline void __wake(volatile void *addr, int cnt, int priv) { __syscall(SYS_futex, addr, FUTEX_WAKE, cnt); }
void __wait(volatile int *, volatile int *, int, int);
int __timedwait(volatile int *, int, clockid_t, const struct timespec *, int);
int __timedwait_cp(volatile int *, int, clockid_t, const struct timespec *, int);
int __private_cond_signal(musl_cond_t *, int);
static inline void __vm_lock(void) {}
static inline void __vm_unlock(void) {}
static inline void __vm_wait(void) {}

/* The time is before every time limit, or after. */
static inline int __clock_gettime(clockid_t clock, struct timespec *now) {
  now->tv_sec = __VERIFIER_nondet_bool() ? 0 : 2000000000;
  now->tv_nsec = 0;
  return 0;
}

/* No thread is cancelled. */
#define PTHREAD_CANCEL_MASKED 2
static inline int __pthread_setcancelstate(int state, int *old) {
  if (old)
    *old = PTHREAD_CANCEL_ENABLE;
  return 0;
}
#define __pthread_testcancel() ((void)0)
#undef pthread_testcancel
#define pthread_testcancel() ((void)0)
#undef pthread_cleanup_push
#undef pthread_cleanup_pop
#define pthread_cleanup_push(f, arg) { void (*musl_cleanup)(void *) = (f); void *musl_arg = (arg);
#define pthread_cleanup_pop(run) if (run) musl_cleanup(musl_arg); }
#define __eintr_valid_flag dummy

#endif
