// Treiber's stack with nodes that are used again at once. A pop that was interrupted between reading next and its
// compare-exchange succeeds although the node has been popped and pushed in between (ABA).
#include <stdatomic.h>
struct node { int value; struct node *next; };
struct stack { _Atomic(struct node *) top; struct node pool[8]; atomic_int used[8]; };

static void stack_init(struct stack *s) { atomic_init(&s->top, 0); }

static struct node *fresh(struct stack *s) {
  int i = 0;
  while (atomic_exchange(&s->used[i], 1))
    i++;
  return &s->pool[i];
}

//@ op
static void stack_push(struct stack *s, int v) {
  struct node *n = fresh(s);
  n->value = v;
  struct node *t = atomic_load(&s->top);
  do
    n->next = t;
  while (!atomic_compare_exchange_strong(&s->top, &t, n));
}

//@ op
static int stack_pop(struct stack *s) {
  struct node *t = atomic_load(&s->top);
  while (t && !atomic_compare_exchange_strong(&s->top, &t, t->next))
    ;
  if (!t)
    return 0;
  int v = t->value;
  atomic_store(&s->used[t - s->pool], 0);
  return v;
}
