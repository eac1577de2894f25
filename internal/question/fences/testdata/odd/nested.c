// A thread starts and joins another: both order, and the flag goes further.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int count;
atomic_int flag;

void *inner(void *arg) {
  count++;
  return arg;
}

void *outer(void *arg) {
  pthread_t b;
  pthread_create(&b, 0, inner, 0);
  pthread_join(b, 0);
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, outer, 0);
  while (!atomic_load(&flag)) // needs: acquire
    ;
  count++;
  assert(count == 2);
  pthread_join(a, 0);
}
