// Two readers agree on the order of two writes only if all six accesses are seq_cst.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b, c, d;

void *first(void *arg) {
  atomic_store(&x, 1); // needs: seq_cst
  return arg;
}

void *second(void *arg) {
  atomic_store(&y, 1); // needs: seq_cst
  return arg;
}

void *third(void *arg) {
  a = atomic_load(&x); // needs: seq_cst
  b = atomic_load(&y); // needs: seq_cst
  return arg;
}

void *fourth(void *arg) {
  c = atomic_load(&y); // needs: seq_cst
  d = atomic_load(&x); // needs: seq_cst
  return arg;
}

int main(void) {
  pthread_t t[4];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, third, 0);
  pthread_create(&t[3], 0, fourth, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], 0);
  assert(!(a && !b && c && !d));
}
