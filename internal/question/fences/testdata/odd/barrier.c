// A barrier orders what comes before it; the flag is set after it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
int early, late;
atomic_int flag;

void *work(void *arg) {
  early = 1;
  pthread_barrier_wait(&barrier);
  late = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&a, 0, work, 0);
  pthread_barrier_wait(&barrier);
  assert(early == 1);
  if (atomic_load(&flag)) // needs: acquire
    assert(late == 1);
  pthread_join(a, 0);
}
