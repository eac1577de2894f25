// RCU's way to publish a structure: the pointer is released and acquired.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct config {
  int size;
};

struct config first, second;
struct config *_Atomic current = &first;

void *update(void *arg) {
  second.size = 7;
  atomic_store(&current, &second); // needs: release
  return 0;
}

void *reader(void *arg) {
  struct config *c = atomic_load(&current); // needs: acquire
  if (c == &second)
    assert(c->size == 7);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, update, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
