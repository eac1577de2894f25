// Dekker's idea with exchanges: each value is read by the other thread or comes before it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
int a, b;

void *work(void *arg) {
  a = atomic_exchange(&x, 1); // needs: relaxed
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  b = atomic_exchange(&x, 2); // needs: relaxed
  pthread_join(t, 0);
  assert(a == 2 || b == 1);
}
