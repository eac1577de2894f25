// A reference count: decrements release, and the last one acquires.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
  atomic_int count;
  int data;
} *object;


void *work(void *arg) {
  int seen = object->data;
  if (atomic_fetch_sub(&object->count, 1) == 1) { // needs: acq_rel
    object->data = seen + 1;
    free(object);
  }
  return arg;
}

int main(void) {
  pthread_t a;
  object = malloc(sizeof *object);
  atomic_store(&object->count, 2); // needs: relaxed
  object->data = 0;
  pthread_create(&a, 0, work, 0);
  work(0);
  pthread_join(a, 0);
  assert(1);
}
