// Write to read causality with atomic data: coherence makes the first hop free.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b, c;

void *first(void *arg) {
  atomic_store(&x, 1); // needs: relaxed
  return arg;
}

void *second(void *arg) {
  a = atomic_load(&x); // needs: relaxed
  atomic_store(&y, 1); // needs: release
  return arg;
}

void *third(void *arg) {
  b = atomic_load(&y); // needs: acquire
  c = atomic_load(&x); // needs: relaxed
  return arg;
}

int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, third, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
  assert(!(a && b && !c));
}
