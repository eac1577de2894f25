// A set as a list whose remove unlinks a node without a mark.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct set { atomic_int head; atomic_int next[4]; };
void set_init(struct set *s) { atomic_store(&s->head, 0); }
int set_add(struct set *s, int k) { /* nodes are keys 1..2; sorted list head->1->2 */
  for (;;) { atomic_int *p = &s->head; int c = atomic_load(p);
    while (c && c < k) { p = &s->next[c]; c = atomic_load(p); }
    if (c == k) return 0;
    atomic_store(&s->next[k], c);
    if (atomic_compare_exchange_strong(p, &c, k)) return 1; } }
int set_remove(struct set *s, int k) {
  for (;;) { atomic_int *p = &s->head; int c = atomic_load(p);
    while (c && c < k) { p = &s->next[c]; c = atomic_load(p); }
    if (c != k) return 0;
    int n = atomic_load(&s->next[k]);
    if (atomic_compare_exchange_strong(p, &c, n)) return 1; } }
int set_contains(struct set *s, int k) { int c = atomic_load(&s->head); while (c && c < k) c = atomic_load(&s->next[c]); return c == k; }
