// A store in the middle breaks the release sequence: it has to release, and its thread to acquire.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int one, two;
int data;

void *first(void *arg) {
  data = 1;
  atomic_store(&one, 1); // needs: release
  return arg;
}

void *second(void *arg) {
  if (atomic_load(&one)) // needs: acquire
    atomic_store(&two, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  if (atomic_load(&two)) // needs: acquire
    assert(data == 1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
