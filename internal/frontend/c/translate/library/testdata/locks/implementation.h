/* Small locks that are as POSIX says, for clients that are also checked with the models of fencepost. All of them wait
   in loops. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

_Bool __VERIFIER_nondet_bool(void);

static _Thread_local int me;
static void thread_begin(int number) { me = number; }

static int cas(int *at, int from, int to) { return __sync_bool_compare_and_swap(at, from, to); }
static int expired(const struct timespec *limit) { return limit && __VERIFIER_nondet_bool(); }

/* A mutex: its owner, and how often it is held again. */
typedef struct { int kind, owner, count; } locks_mutex_t;
static int locks_mutex_init(locks_mutex_t *m, const pthread_mutexattr_t *a) {
  m->kind = m->owner = m->count = 0;
  if (a)
    pthread_mutexattr_gettype(a, &m->kind);
  return 0;
}
static int locks_mutex_trylock(locks_mutex_t *m) {
  if (m->kind == PTHREAD_MUTEX_RECURSIVE && m->owner == me)
    return m->count++, 0;
  return m->owner == 0 && cas(&m->owner, 0, me) ? 0 : EBUSY;
}
static int locks_mutex_timedlock(locks_mutex_t *m, const struct timespec *limit) {
  while (locks_mutex_trylock(m)) {
    if (m->kind == PTHREAD_MUTEX_ERRORCHECK && m->owner == me)
      return EDEADLK;
    if (expired(limit))
      return ETIMEDOUT;
  }
  return 0;
}
static int locks_mutex_lock(locks_mutex_t *m) { return locks_mutex_timedlock(m, 0); }
static int locks_mutex_unlock(locks_mutex_t *m) {
  if (m->kind != PTHREAD_MUTEX_NORMAL && m->owner != me)
    return EPERM;
  if (m->count)
    return m->count--, 0;
  __atomic_exchange_n(&m->owner, 0, __ATOMIC_SEQ_CST);
  return 0;
}

/* A condition: the number of its signals. A wait may end early, and every signal wakes all. */
typedef struct { int signals; } locks_cond_t;
static int locks_cond_init(locks_cond_t *c, const pthread_condattr_t *a) { return c->signals = 0; }
static int locks_cond_timedwait(locks_cond_t *c, locks_mutex_t *m, const struct timespec *limit) {
  int seen = c->signals, result = 0;
  locks_mutex_unlock(m);
  while (c->signals == seen && !result && !__VERIFIER_nondet_bool())
    if (expired(limit))
      result = ETIMEDOUT;
  locks_mutex_lock(m);
  return result;
}
static int locks_cond_wait(locks_cond_t *c, locks_mutex_t *m) { return locks_cond_timedwait(c, m, 0); }
static int locks_cond_signal(locks_cond_t *c) {
  int n = c->signals;
  while (!cas(&c->signals, n, (n + 1) % 8))
    n = c->signals;
  return 0;
}
static int locks_cond_broadcast(locks_cond_t *c) { return locks_cond_signal(c); }

/* A lock of readers and writers: -1 for a writer, or the number of readers. */
typedef struct { int state; } locks_rwlock_t;
static int locks_rwlock_init(locks_rwlock_t *l, const pthread_rwlockattr_t *a) { return l->state = 0; }
static int locks_rwlock_tryrdlock(locks_rwlock_t *l) {
  int n;
  while ((n = l->state) >= 0)
    if (cas(&l->state, n, n + 1))
      return 0;
  return EBUSY;
}
static int locks_rwlock_trywrlock(locks_rwlock_t *l) { return l->state == 0 && cas(&l->state, 0, -1) ? 0 : EBUSY; }
static int locks_rwlock_timedrdlock(locks_rwlock_t *l, const struct timespec *limit) {
  while (locks_rwlock_tryrdlock(l))
    if (expired(limit))
      return ETIMEDOUT;
  return 0;
}
static int locks_rwlock_timedwrlock(locks_rwlock_t *l, const struct timespec *limit) {
  while (locks_rwlock_trywrlock(l))
    if (expired(limit))
      return ETIMEDOUT;
  return 0;
}
static int locks_rwlock_rdlock(locks_rwlock_t *l) { return locks_rwlock_timedrdlock(l, 0); }
static int locks_rwlock_wrlock(locks_rwlock_t *l) { return locks_rwlock_timedwrlock(l, 0); }
static int locks_rwlock_unlock(locks_rwlock_t *l) {
  if (!cas(&l->state, -1, 0))
    __atomic_fetch_sub(&l->state, 1, __ATOMIC_SEQ_CST);
  return 0;
}

/* A semaphore. */
typedef struct { int value; } locks_sem_t;
static int locks_sem_init(locks_sem_t *s, int shared, unsigned value) {
  s->value = value;
  return 0;
}
static int locks_sem_trywait(locks_sem_t *s) {
  int n;
  while ((n = s->value) > 0)
    if (cas(&s->value, n, n - 1))
      return 0;
  errno = EAGAIN;
  return -1;
}
static int locks_sem_timedwait(locks_sem_t *s, const struct timespec *limit) {
  while (locks_sem_trywait(s))
    if (expired(limit)) {
      errno = ETIMEDOUT;
      return -1;
    }
  return 0;
}
static int locks_sem_wait(locks_sem_t *s) { return locks_sem_timedwait(s, 0); }
static int locks_sem_post(locks_sem_t *s) {
  __atomic_fetch_add(&s->value, 1, __ATOMIC_SEQ_CST);
  return 0;
}
static int locks_sem_getvalue(locks_sem_t *s, int *value) {
  *value = s->value;
  return 0;
}

/* A barrier: who arrives last in a round begins the next one. */
typedef struct { int limit, arrived, round; } locks_barrier_t;
static int locks_barrier_init(locks_barrier_t *b, const pthread_barrierattr_t *a, unsigned n) {
  b->limit = n;
  return b->arrived = b->round = 0;
}
static int locks_barrier_wait(locks_barrier_t *b) {
  int round = b->round;
  if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_SEQ_CST) == b->limit) {
    b->arrived = 0;
    __atomic_exchange_n(&b->round, !round, __ATOMIC_SEQ_CST);
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  while (b->round == round)
    ;
  return 0;
}

/* Once: 1 while the function runs, 2 after it. */
typedef int locks_once_t;
static int locks_once(locks_once_t *o, void (*f)(void)) {
  if (*o == 2)
    return 0;
  if (cas(o, 0, 1)) {
    f();
    __atomic_exchange_n(o, 2, __ATOMIC_SEQ_CST);
  } else {
    while (*o != 2)
      ;
  }
  return 0;
}

#define pthread_mutex_t locks_mutex_t
#define pthread_mutex_init locks_mutex_init
#define pthread_mutex_lock locks_mutex_lock
#define pthread_mutex_trylock locks_mutex_trylock
#define pthread_mutex_timedlock locks_mutex_timedlock
#define pthread_mutex_unlock locks_mutex_unlock
#define pthread_cond_t locks_cond_t
#define pthread_cond_init locks_cond_init
#define pthread_cond_wait locks_cond_wait
#define pthread_cond_timedwait locks_cond_timedwait
#define pthread_cond_signal locks_cond_signal
#define pthread_cond_broadcast locks_cond_broadcast
#define pthread_rwlock_t locks_rwlock_t
#define pthread_rwlock_init locks_rwlock_init
#define pthread_rwlock_rdlock locks_rwlock_rdlock
#define pthread_rwlock_wrlock locks_rwlock_wrlock
#define pthread_rwlock_tryrdlock locks_rwlock_tryrdlock
#define pthread_rwlock_trywrlock locks_rwlock_trywrlock
#define pthread_rwlock_timedrdlock locks_rwlock_timedrdlock
#define pthread_rwlock_timedwrlock locks_rwlock_timedwrlock
#define pthread_rwlock_unlock locks_rwlock_unlock
#define sem_t locks_sem_t
#define sem_init locks_sem_init
#define sem_wait locks_sem_wait
#define sem_trywait locks_sem_trywait
#define sem_timedwait locks_sem_timedwait
#define sem_post locks_sem_post
#define sem_getvalue locks_sem_getvalue
#define pthread_barrier_t locks_barrier_t
#define pthread_barrier_init locks_barrier_init
#define pthread_barrier_wait locks_barrier_wait
#define pthread_once_t locks_once_t
#define pthread_once locks_once
