// Publication as with RCU, for any number of threads, with blocks that are allocated: readers take no lock. They load a
// pointer and read what it points to. A writer fills a new block, with values of its own, and then publishes it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config { unsigned long size, limit; };

static _Atomic(struct config *) current;

//@ replicate
void *work(void *arg) {
  struct config *old = atomic_load_explicit(&current, memory_order_acquire);
  struct config *c = malloc(sizeof *c);
  c->size = 1;
  if (old != NULL) {
    assert(old->limit == old->size);
    c->size = old->size + 1;
  }
  c->limit = c->size;
  atomic_store_explicit(&current, c, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
