// One variable: all threads agree on the order of its writes, whatever the orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int a, b;

void *first(void *arg) {
  atomic_store(&x, 1); // needs: relaxed
  atomic_store(&x, 2); // needs: relaxed
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, first, 0);
  a = atomic_load(&x); // needs: relaxed
  b = atomic_load(&x); // needs: relaxed
  assert(a <= b);
  pthread_join(t, 0);
}
