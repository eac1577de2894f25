// Treiber's stack with nodes that are used again, and a count in front of the index of the top that every success
// changes: no compare-exchange takes a node for what it was before.
#include <stdatomic.h>
struct node { int value; atomic_uint next; };
struct stack { atomic_uint top; struct node pool[8]; atomic_int used[8]; };

static void stack_init(struct stack *s) { atomic_init(&s->top, 0); }

static unsigned fresh(struct stack *s) {
  unsigned i = 1;
  while (atomic_exchange(&s->used[i], 1))
    i++;
  return i;
}

//@ op
static void stack_push(struct stack *s, int v) {
  unsigned n = fresh(s);
  s->pool[n].value = v;
  unsigned t = atomic_load(&s->top);
  do
    s->pool[n].next = t % 8;
  while (!atomic_compare_exchange_strong(&s->top, &t, (t / 8 + 1) * 8 + n));
}

//@ op
static int stack_pop(struct stack *s) {
  unsigned t = atomic_load(&s->top);
  while (t % 8 && !atomic_compare_exchange_strong(&s->top, &t, (t / 8 + 1) * 8 + s->pool[t % 8].next))
    ;
  if (t % 8 == 0)
    return 0;
  int v = s->pool[t % 8].value;
  atomic_store(&s->used[t % 8], 0);
  return v;
}
