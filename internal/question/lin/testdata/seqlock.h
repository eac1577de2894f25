// A pair behind a sequence count, for one writer. With BROKEN, the reader does not look at the count again.
#include <stdatomic.h>
struct pair { atomic_uint count; atomic_int a, b; };

//@ op thread writer
static void pair_set(struct pair *p, int v) {
  unsigned n = atomic_load_explicit(&p->count, memory_order_relaxed);
  atomic_store_explicit(&p->count, n + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&p->a, v, memory_order_relaxed);
  atomic_store_explicit(&p->b, v, memory_order_relaxed);
  atomic_store_explicit(&p->count, n + 2, memory_order_release);
}

//@ op
static void pair_get(struct pair *p, int *a, int *b) {
  unsigned n, m;
  do {
    n = atomic_load_explicit(&p->count, memory_order_acquire);
    *a = atomic_load_explicit(&p->a, memory_order_relaxed);
    *b = atomic_load_explicit(&p->b, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    m = atomic_load_explicit(&p->count, memory_order_relaxed);
#ifdef BROKEN
    m = n;
#endif
  } while (n != m || n % 2);
}
