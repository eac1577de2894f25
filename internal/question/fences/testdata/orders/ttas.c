// Test and test-and-set: the load that looks is relaxed, the exchange that takes acquires.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int locked;
int count;

void *work(void *arg) {
  do {
    while (atomic_load(&locked)) // needs: relaxed
      ;
  } while (atomic_exchange(&locked, 1)); // needs: acquire
  count++;
  atomic_store(&locked, 0); // needs: release
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
