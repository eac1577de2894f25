/* Library calls in odd states: each case prints what its calls return. With CASE and EXPECT it asserts that instead. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t m, e, rec;
static pthread_rwlock_t l;
static sem_t s;
static pthread_spinlock_t sp;
static pthread_barrier_t b;
static pthread_cond_t c;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int n;
static void f(void) { n++; }
static struct timespec past = {0, 1}, bad = {0, 2000000000};

static void *other(void *a) {
  long r = 0;
  switch ((long)a) {
  case 0:
    r = pthread_mutex_unlock(&e);
    break;
  case 1:
    r = pthread_mutex_trylock(&m);
    break;
  case 2:
    r = pthread_mutex_timedlock(&m, &past);
    break;
  case 3:
    r = pthread_rwlock_trywrlock(&l);
    break;
  case 4:
    r = pthread_rwlock_tryrdlock(&l);
    break;
  case 5:
    r = pthread_spin_trylock(&sp);
    break;
  case 6:
    r = pthread_mutex_trylock(&rec);
    break;
  case 7:
    r = pthread_rwlock_timedwrlock(&l, &past);
    break;
  case 8:
    r = pthread_rwlock_timedrdlock(&l, &past);
    break;
  case 9:
    r = pthread_mutex_trylock(&e);
    break;
  case 10:
    r = pthread_mutex_timedlock(&m, &bad);
    break;
  }
  return (void *)r;
}

/* What another thread gets. */
static int in(long k) {
  pthread_t t;
  void *r;
  pthread_create(&t, 0, other, (void *)k);
  pthread_join(t, &r);
  return (long)r;
}

static int odd(int number) {
  pthread_mutexattr_t a;
  int r = -77, v;
  mtx_t q;
  pthread_mutexattr_init(&a);
  pthread_mutex_init(&m, 0);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&e, &a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&rec, &a);
  pthread_rwlock_init(&l, 0);
  pthread_spin_init(&sp, 0);
  pthread_barrier_init(&b, 0, 1);
  pthread_cond_init(&c, 0);
  switch (number) {
  case 0:
    r = pthread_mutex_unlock(&e);
    break;
  case 1:
    pthread_mutex_lock(&e);
    r = in(0);
    break;
  case 2:
    pthread_mutex_lock(&m);
    r = in(1);
    break;
  case 3:
    pthread_mutex_lock(&m);
    r = in(2);
    break;
  case 4:
    pthread_rwlock_rdlock(&l);
    r = in(3);
    break;
  case 5:
    pthread_rwlock_rdlock(&l);
    r = in(4);
    break;
  case 6:
    pthread_rwlock_wrlock(&l);
    r = in(4);
    break;
  case 7:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_trywrlock(&l);
    break;
  case 8:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_tryrdlock(&l);
    break;
  case 9:
    pthread_rwlock_rdlock(&l);
    r = pthread_rwlock_trywrlock(&l);
    break;
  case 10:
    pthread_rwlock_rdlock(&l);
    r = pthread_rwlock_rdlock(&l);
    break;
  case 11:
    pthread_spin_lock(&sp);
    r = in(5);
    break;
  case 12:
    sem_init(&s, 0, SEM_VALUE_MAX);
    r = sem_post(&s);
    r = r ? errno : 0;
    break;
  case 13:
    sem_init(&s, 0, 0);
    r = sem_trywait(&s);
    r = r ? errno : 0;
    break;
  case 14:
    sem_init(&s, 0, 0);
    r = sem_timedwait(&s, &past);
    r = r ? errno : 0;
    break;
  case 15:
    r = pthread_barrier_wait(&b);
    break;
  case 16:
    r = pthread_barrier_wait(&b);
    r = r * 10 + pthread_barrier_wait(&b);
    break;
  case 17:
    r = pthread_once(&o, f);
    r = r * 10 + pthread_once(&o, f);
    r = r * 10+n;
    break;
  case 18:
    pthread_mutex_lock(&e);
    r = pthread_mutex_lock(&e);
    break;
  case 19:
    pthread_mutex_lock(&e);
    r = pthread_mutex_trylock(&e);
    break;
  case 20:
    pthread_mutex_lock(&e);
    r = pthread_mutex_timedlock(&e, &past);
    break;
  case 21:
    pthread_mutex_lock(&rec);
    pthread_mutex_lock(&rec);
    r = in(6);
    pthread_mutex_unlock(&rec);
    r = r * 1000 + in(6);
    pthread_mutex_unlock(&rec);
    r = r * 10+ in(6);
    break;
  case 22:
    pthread_rwlock_rdlock(&l);
    r = in(7);
    break;
  case 23:
    pthread_rwlock_wrlock(&l);
    r = in(8);
    break;
  case 24:
    pthread_mutex_lock(&m);
    r = pthread_cond_timedwait(&c, &m, &past);
    break;
  case 25:
    pthread_mutex_lock(&m);
    r = pthread_cond_timedwait(&c, &m, &bad);
    break;
  case 26:
    pthread_mutex_lock(&m);
    r = in(10);
    break;
  case 27:
    r = pthread_mutex_timedlock(&m, &bad);
    break;
  case 28:
    sem_init(&s, 0, 0);
    r = sem_timedwait(&s, &bad);
    r = r ? errno : 0;
    break;
  case 29:
    sem_init(&s, 0, 1);
    r = sem_timedwait(&s, &bad);
    r = r ? errno : 0;
    break;
  case 30:
    r = pthread_barrier_init(&b, 0, 0);
    break;
  case 31:
    r = sem_init(&s, 0, (unsigned)SEM_VALUE_MAX+1);
    r = r ? errno : 0;
    break;
  case 32:
    r = pthread_mutexattr_settype(&a, 77);
    break;
  case 33:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_wrlock(&l);
    break;
  case 34:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_rdlock(&l);
    break;
  case 35:
    pthread_mutex_lock(&m);
    r = pthread_mutex_destroy(&m);
    break;
  case 36:
    pthread_mutex_lock(&e);
    r = in(9);
    break;
  case 37:
    sem_init(&s, 0, 3);
    sem_getvalue(&s, &v);
    sem_wait(&s);
    r = v;
    sem_getvalue(&s, &v);
    r = r * 10+v;
    break;
  case 38:
    mtx_init(&q, mtx_timed);
    mtx_lock(&q);
    r = mtx_trylock(&q);
    break;
  case 39:
    mtx_init(&q, mtx_plain|mtx_recursive);
    mtx_lock(&q);
    r = mtx_trylock(&q)*10 + mtx_lock(&q);
    break;
  case 40:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_timedwrlock(&l, &past);
    break;
  case 41:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_timedrdlock(&l, &past);
    break;
  case 42:
    pthread_rwlock_rdlock(&l);
    r = pthread_rwlock_timedwrlock(&l, &past);
    break;
  case 43:
    pthread_mutex_lock(&rec);
    r = pthread_mutex_trylock(&rec);
    break;
  case 44:
    pthread_mutex_lock(&rec);
    r = pthread_mutex_timedlock(&rec, &past);
    break;
  case 45:
    r = pthread_rwlock_timedrdlock(&l, &bad);
    break;
  case 46:
    pthread_rwlock_wrlock(&l);
    r = pthread_rwlock_timedrdlock(&l, &bad);
    break;
  case 47:
    r = pthread_mutex_unlock(&rec);
    break;
  case 48:
    pthread_mutex_lock(&m);
    r = pthread_mutex_trylock(&m);
    break;
  case 49:
    pthread_mutex_lock(&m);
    r = pthread_mutex_timedlock(&m, &past);
    break;
  default:
    exit(1);
  }
  return r;
}

int main(int argc, char **argv) {
#ifdef CASE
  assert(odd(CASE) == EXPECT);
#else
  printf("%d\n", odd(atoi(argv[1])));
#endif
  return 0;
}
