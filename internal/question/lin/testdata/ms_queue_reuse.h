// The queue of Michael and Scott as in their paper: nodes are used again at once, and indices of nodes have counts, which
// every change increments. With UNCOUNTED, a dequeue that was late takes a node for what it was before.
#include <stdatomic.h>
struct node { atomic_int value, used; atomic_uint next; };
struct queue { atomic_uint head, tail; struct node pool[8]; };

#ifdef UNCOUNTED
#define COUNTED(old, i) (i)
#else
#define COUNTED(old, i) (((old) / 8 + 1) * 8 + (i))
#endif

static void queue_init(struct queue *q) {
  atomic_init(&q->head, 1);
  atomic_init(&q->tail, 1);
  atomic_init(&q->pool[1].used, 1);
}

//@ op
static void queue_enqueue(struct queue *q, int v) {
  unsigned n = 1;
  while (atomic_exchange(&q->pool[n].used, 1))
    n++;
  q->pool[n].value = v;
  q->pool[n].next = COUNTED(q->pool[n].next, 0);
  unsigned t, next;
  for (;;) {
    t = q->tail;
    next = q->pool[t % 8].next;
    if (t != q->tail)
      continue;
    if (next % 8)
      atomic_compare_exchange_strong(&q->tail, &t, COUNTED(t, next % 8));
    else if (atomic_compare_exchange_strong(&q->pool[t % 8].next, &next, COUNTED(next, n)))
      break;
  }
  atomic_compare_exchange_strong(&q->tail, &t, COUNTED(t, n));
}

//@ op
static int queue_dequeue(struct queue *q) {
  for (;;) {
    unsigned h = q->head, t = q->tail, next = q->pool[h % 8].next;
    if (h != q->head)
      continue;
    if (h % 8 == t % 8) {
      if (next % 8 == 0)
        return 0;
      atomic_compare_exchange_strong(&q->tail, &t, COUNTED(t, next % 8));
      continue;
    }
    int v = q->pool[next % 8].value;
    if (atomic_compare_exchange_strong(&q->head, &h, COUNTED(h, next % 8))) {
      q->pool[h % 8].used = 0;
      return v;
    }
  }
}
