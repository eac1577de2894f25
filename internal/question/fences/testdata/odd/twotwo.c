// Two threads write two variables in opposite orders: not both keep their first write.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

void *work(void *arg) {
  atomic_store(&x, 1); // needs: seq_cst
  atomic_store(&y, 2); // needs: seq_cst
  return arg;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  atomic_store(&y, 1); // needs: seq_cst
  atomic_store(&x, 2); // needs: seq_cst
  pthread_join(t, 0);
  assert(!(atomic_load(&x) == 1 && atomic_load(&y) == 1)); // needs: relaxed, relaxed
}
