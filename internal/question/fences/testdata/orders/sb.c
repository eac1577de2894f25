// Store buffering: all four accesses have to be seq_cst.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

void *one(void *arg) {
  x = 1; // needs: seq_cst
  a = y; // needs: seq_cst
  return 0;
}

void *two(void *arg) {
  atomic_store(&y, 1); // needs: seq_cst
  b = atomic_load(&x); // needs: seq_cst
  return 0;
}

int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, one, 0);
  pthread_create(&t, 0, two, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a || b);
}
