// A counter that is read when its threads have ended.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;

void *work(void *arg) {
  atomic_fetch_add(&count, 1); // needs: relaxed
  atomic_fetch_add(&count, 1); // needs: relaxed
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&count) == 4); // needs: relaxed
}
