// A work-stealing deque of fixed size, after Chase and Lev. With NO_FENCE, take reads top before its store to bottom
// has reached memory: the owner and a thief can have the same element.
#include <stdatomic.h>
struct deque { atomic_int top, bottom; atomic_int slot[8]; };

//@ op thread owner
static void deque_push(struct deque *d, int v) {
  int b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
  atomic_store_explicit(&d->slot[b], v, memory_order_relaxed);
  atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
}

//@ op thread owner
static int deque_take(struct deque *d) {
  int b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&d->bottom, b, memory_order_relaxed);
#ifndef NO_FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int t = atomic_load_explicit(&d->top, memory_order_relaxed);
  if (t > b) {
    atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
    return 0;
  }
  int v = atomic_load_explicit(&d->slot[b], memory_order_relaxed);
  if (t == b) {
    if (!atomic_compare_exchange_strong(&d->top, &t, t + 1))
      v = 0;
    atomic_store_explicit(&d->bottom, b + 1, memory_order_relaxed);
  }
  return v;
}

//@ op
//@ may fail -1
static int deque_steal(struct deque *d) {
  int t = atomic_load_explicit(&d->top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  int b = atomic_load_explicit(&d->bottom, memory_order_acquire);
  if (t >= b)
    return 0;
  int v = atomic_load_explicit(&d->slot[t], memory_order_relaxed);
  if (!atomic_compare_exchange_strong(&d->top, &t, t + 1))
    return -1;
  return v;
}
