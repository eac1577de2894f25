// The queue of Michael and Scott with nodes that are not used again.
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; _Atomic(struct node *) next; };
struct queue { _Atomic(struct node *) head, tail; };

static void queue_init(struct queue *q) {
  struct node *n = malloc(sizeof *n);
  atomic_init(&n->next, 0);
  atomic_init(&q->head, n);
  atomic_init(&q->tail, n);
}

static void queue_enqueue(struct queue *q, int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  atomic_init(&n->next, 0);
  for (;;) {
    struct node *t = atomic_load_explicit(&q->tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&t->next, memory_order_acquire);
    if (next) {
      atomic_compare_exchange_strong(&q->tail, &t, next);
    } else if (atomic_compare_exchange_strong(&t->next, &next, n)) {
      atomic_compare_exchange_strong(&q->tail, &t, n);
      return;
    }
  }
}

static int queue_dequeue(struct queue *q) {
  for (;;) {
    struct node *h = atomic_load_explicit(&q->head, memory_order_acquire);
    struct node *t = atomic_load_explicit(&q->tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&h->next, memory_order_acquire);
    if (h == t) {
      if (!next)
        return 0;
      atomic_compare_exchange_strong(&q->tail, &t, next);
    } else if (next) {
      int v = next->value;
      if (atomic_compare_exchange_strong(&q->head, &h, next))
        return v;
    }
  }
}
