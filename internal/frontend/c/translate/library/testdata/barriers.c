/* Keys without threads, once, locks that are tried: what they return. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;
static void run(void) { runs++; }

int main(void) {
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t k;
  sem_t s;
  mtx_t m;
  pthread_key_t key;
  int v;
  assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == 0 && pthread_rwlock_trywrlock(&l) != 0);
  assert(pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0 && pthread_rwlock_trywrlock(&l) == 0);
  assert(pthread_rwlock_tryrdlock(&l) != 0 && pthread_rwlock_unlock(&l) == 0);
  assert(pthread_spin_init(&k, PTHREAD_PROCESS_PRIVATE) == 0 && pthread_spin_lock(&k) == 0);
  assert(pthread_spin_trylock(&k) != 0 && pthread_spin_unlock(&k) == 0 && pthread_spin_trylock(&k) == 0);
  assert(sem_init(&s, 0, 1) == 0 && sem_wait(&s) == 0 && errno == 0 && sem_trywait(&s) == -1 && errno == EAGAIN && sem_post(&s) == 0);
  assert(sem_getvalue(&s, &v) == 0 && v == 1 && sem_trywait(&s) == 0);
  assert(pthread_once(&once, run) == 0 && pthread_once(&once, run) == 0 && runs == 1);
  assert(mtx_init(&m, mtx_plain) == thrd_success && mtx_lock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy);
  assert(mtx_unlock(&m) == thrd_success && mtx_trylock(&m) == thrd_success);
  assert(pthread_key_create(&key, NULL) == 0 && pthread_getspecific(key) == NULL);
  assert(pthread_setspecific(key, &v) == 0 && pthread_getspecific(key) == &v && pthread_key_delete(key) == 0);
  return 0;
}
