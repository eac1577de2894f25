// A lock that is tried, and a flag beside it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int inside, outside;
atomic_int flag;

void *work(void *arg) {
  pthread_mutex_lock(&mutex);
  inside++;
  pthread_mutex_unlock(&mutex);
  outside = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  if (pthread_mutex_trylock(&mutex) == 0) {
    inside++;
    pthread_mutex_unlock(&mutex);
  }
  if (atomic_load(&flag)) // needs: acquire
    assert(outside == 1);
  pthread_join(a, 0);
}
