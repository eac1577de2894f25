// A release sequence: the read-modify-write in the middle can be relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

void *first(void *arg) {
  data = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

void *second(void *arg) {
  int expected = 1;
  atomic_compare_exchange_strong(&flag, &expected, 2); // needs: relaxed, failure relaxed
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  if (atomic_load(&flag) == 2) // needs: acquire
    assert(data == 1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
