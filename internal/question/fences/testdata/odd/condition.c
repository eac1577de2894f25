// A wait for a condition: the mutex that is locked again orders the rest.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, data, late;
atomic_int flag;

void *work(void *arg) {
  pthread_mutex_lock(&mutex);
  data = 1;
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  late = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  pthread_mutex_lock(&mutex);
  if (!ready) {
    pthread_cond_wait(&condition, &mutex);
    if (ready) {
      data = 2;
      if (atomic_load(&flag)) // needs: acquire
        assert(late == 1);
    }
  }
  pthread_mutex_unlock(&mutex);
  pthread_join(a, 0);
}
