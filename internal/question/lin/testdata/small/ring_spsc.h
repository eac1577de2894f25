// A ring for one producer and one consumer, which only names say.
#include <stdatomic.h>
struct ring_spsc { atomic_uint head, tail; int slot[2]; };

static int ring_put(struct ring_spsc *r, int v) {
  unsigned t = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (t - atomic_load_explicit(&r->head, memory_order_acquire) == 2)
    return 0;
  r->slot[t % 2] = v;
  atomic_store_explicit(&r->tail, t + 1, memory_order_release);
  return 1;
}

static int ring_get(struct ring_spsc *r, int *v) {
  unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (h == atomic_load_explicit(&r->tail, memory_order_acquire))
    return 0;
  *v = r->slot[h % 2];
  atomic_store_explicit(&r->head, h + 1, memory_order_release);
  return 1;
}
