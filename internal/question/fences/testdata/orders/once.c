// Double-checked locking: the first look acquires, the second, under the lock, is relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int done;
int object;

int get(void) {
  if (!atomic_load(&done)) { // needs: acquire
    pthread_mutex_lock(&lock);
    if (!atomic_load(&done)) { // needs: relaxed
      object = 5;
      atomic_store(&done, 1); // needs: release
    }
    pthread_mutex_unlock(&lock);
  }
  return object;
}

void *work(void *arg) {
  assert(get() == 5);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
