// A stack with elimination: a push whose compare-exchange fails offers its value once to a pop. KEPT leaves the offer there.
#include <stdatomic.h>
struct stack { atomic_int top, used; int next[8], value[8]; atomic_int offer; };

static void stack_push(struct stack *s, int v) {
  int mine = atomic_fetch_add(&s->used, 1) + 1;
  s->value[mine] = v;
  for (;;) {
    int t = atomic_load(&s->top);
    s->next[mine] = t;
    if (atomic_compare_exchange_strong(&s->top, &t, mine))
      return;
    int none = 0, offered = v;
    if (!atomic_compare_exchange_strong(&s->offer, &none, v))
      continue;
#ifdef KEPT
    if (atomic_load(&s->offer) != v)
      return;
#else
    if (!atomic_compare_exchange_strong(&s->offer, &offered, 0))
      return; // a pop has it
#endif
  }
}

static int stack_pop(struct stack *s) {
  for (;;) {
    int t = atomic_load(&s->top);
    if (!t)
      return 0;
    if (atomic_compare_exchange_strong(&s->top, &t, s->next[t]))
      return s->value[t];
    int v = atomic_load(&s->offer);
    if (v && atomic_compare_exchange_strong(&s->offer, &v, 0))
      return v;
  }
}
