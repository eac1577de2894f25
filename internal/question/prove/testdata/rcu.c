// Publication as with RCU, for any number of threads: readers take no lock. They load a pointer and read what it
// points to, which no thread changes any more. One thread fills it, and then publishes the pointer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct config { int size, limit; };

static struct config block;
static atomic_int updating;
static _Atomic(struct config *) current;

//@ replicate
void *work(void *arg) {
  struct config *c = atomic_load_explicit(&current, memory_order_acquire);
  if (c == NULL) {
    if (atomic_exchange(&updating, 1))
      return NULL;
    block.size = 8;
    block.limit = 8;
    atomic_store_explicit(&current, &block, memory_order_release);
    return NULL;
  }
  assert(c->limit == c->size);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
