// A ring for one producer and one consumer that publishes a slot too weakly: wrong under PSO and c11.
#include <stdatomic.h>
struct ring { atomic_uint head, tail; int slot[2]; };

//@ op thread producer
static int ring_push(struct ring *r, int v) {
  unsigned t = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (t - atomic_load_explicit(&r->head, memory_order_acquire) == 2)
    return 0;
  r->slot[t % 2] = v;
  atomic_store_explicit(&r->tail, t + 1, memory_order_relaxed);
  return 1;
}

//@ op thread consumer
static int ring_pop(struct ring *r) {
  unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (h == atomic_load_explicit(&r->tail, memory_order_acquire))
    return 0;
  int v = r->slot[h % 2];
  atomic_store_explicit(&r->head, h + 1, memory_order_relaxed);
  return v;
}
