// A stack whose pop frees the node that another pop reads.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct n { struct n *next; int v; }; struct s { _Atomic(struct n *) top; };
void s_push(struct s *s, int v) { struct n *n = malloc(sizeof *n); n->v = v; n->next = s->top; while (!atomic_compare_exchange_strong(&s->top, &n->next, n)) ; }
int s_pop(struct s *s) { struct n *t = s->top; while (t && !atomic_compare_exchange_strong(&s->top, &t, t->next)) ; if (!t) return 0; int v = t->v; free(t); return v; }
