// Only the failure of the compare-exchange has to acquire.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

void *work(void *arg) {
  data = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  int expected = 0;
  pthread_create(&a, 0, work, 0);
  if (!atomic_compare_exchange_strong(&flag, &expected, 2)) // needs: relaxed, failure acquire
    assert(data == 1);
  pthread_join(a, 0);
}
