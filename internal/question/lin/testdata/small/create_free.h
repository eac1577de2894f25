// A stack with functions that make and free it, of pointers.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct s; struct n { struct n *next; void *v; }; struct s { _Atomic(struct n *) top; };
struct s *s_new(void) { struct s *s = malloc(sizeof *s); atomic_init(&s->top, 0); return s; }
void s_push(struct s *s, void *v) { struct n *n = malloc(sizeof *n); n->v = v; n->next = s->top; while (!atomic_compare_exchange_strong(&s->top, &n->next, n)) ; }
void *s_pop(struct s *s) { struct n *t = s->top; while (t && !atomic_compare_exchange_strong(&s->top, &t, t->next)) ; return t ? t->v : 0; }
void s_free(struct s *s) { free(s); }
