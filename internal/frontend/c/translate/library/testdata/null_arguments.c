/* Arguments that may be null pointers, and are at run time. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m;
static pthread_cond_t c;
static pthread_rwlock_t l;
static pthread_barrier_t b;

static void begin(pthread_mutexattr_t *ma, pthread_condattr_t *ca, pthread_rwlockattr_t *la, pthread_barrierattr_t *ba) {
  assert(pthread_mutex_init(&m, ma) == 0);
  assert(pthread_cond_init(&c, ca) == 0);
  assert(pthread_rwlock_init(&l, la) == 0);
  assert(pthread_barrier_init(&b, ba, 1) == 0);
}

static void *run(void *arg) {
  return arg;
}

static void *joined(pthread_attr_t *a, void **result) {
  pthread_t t;
  int x;
  pthread_create(&t, a, run, &x);
  assert(pthread_join(t, result) == 0);
  return result ? *result : &x;
}

static void say(const char *text) {
  printf("%.3s%.*s", text, 2, "abc");
}

int main(void) {
  int old = 7, older;
  void *result;
  pthread_mutexattr_t ma;
  pthread_attr_t a;
  begin(0, 0, 0, 0);
  pthread_mutexattr_init(&ma);
  pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_RECURSIVE);
  begin(&ma, 0, 0, 0);
  assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0);
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, PTHREAD_CREATE_JOINABLE);
  joined(&a, 0);
  joined(0, &result);
  pthread_attr_destroy(&a);
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
  assert(pthread_setcancelstate(old, &older) == 0 && older == PTHREAD_CANCEL_DISABLE);
  assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, 0) == 0);
  say("abcd");
  return 0;
}
