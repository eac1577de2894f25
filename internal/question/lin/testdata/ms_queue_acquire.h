// The queue of Michael and Scott where a dequeue advances the head with acquire only, as in a library in C++: another dequeue can read the
// new first node before its memory is written. RELEASED is the repair.
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; _Atomic(struct node *) next; };
struct queue { _Atomic(struct node *) head, tail; };
#ifdef RELEASED
#define ADVANCE memory_order_release
#else
#define ADVANCE memory_order_acquire
#endif
static void queue_init(struct queue *q) {
  struct node *n = malloc(sizeof *n);
  atomic_init(&n->next, 0);
  atomic_init(&q->head, n);
  atomic_init(&q->tail, n);
}
static void queue_enqueue(struct queue *q, int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  atomic_store_explicit(&n->next, 0, memory_order_relaxed);
  for (;;) {
    struct node *t = atomic_load_explicit(&q->tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&t->next, memory_order_acquire);
    if (next) {
      atomic_compare_exchange_strong_explicit(&q->tail, &t, next, memory_order_release, memory_order_relaxed);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&t->next, &next, n, memory_order_release, memory_order_relaxed)) {
      atomic_compare_exchange_strong_explicit(&q->tail, &t, n, memory_order_release, memory_order_relaxed);
      return;
    }
  }
}
static int queue_dequeue(struct queue *q) {
  for (;;) {
    struct node *h = atomic_load_explicit(&q->head, memory_order_acquire);
    struct node *next = atomic_load_explicit(&h->next, memory_order_acquire);
    if (atomic_load_explicit(&q->head, memory_order_acquire) != h)
      continue;
    if (!next)
      return 0;
    struct node *t = atomic_load_explicit(&q->tail, memory_order_acquire);
    if (h == t) {
      atomic_compare_exchange_strong_explicit(&q->tail, &t, next, memory_order_release, memory_order_relaxed);
      continue;
    }
    int v = next->value;
    if (atomic_compare_exchange_strong_explicit(&q->head, &h, next, ADVANCE, memory_order_relaxed))
      return v;
  }
}
