// Harris' list as a set: the lowest bit of a link marks the node for removal. UNMARKED removes without a mark.
#include <stdatomic.h>
struct set { atomic_int head, used; atomic_int next[8]; int key[8]; };

// set_find returns the first node whose key is not less than k, and the link to it; it unlinks marked nodes.
static int _set_find(struct set *s, int k, atomic_int **link) {
again:
  *link = &s->head;
  int at = atomic_load(*link);
  while (at >> 1) {
    int next = atomic_load(&s->next[at >> 1]);
    if (next & 1) {
      int was = at;
      if (!atomic_compare_exchange_strong(*link, &was, next & ~1))
        goto again;
      at = next & ~1;
      continue;
    }
    if (s->key[at >> 1] >= k)
      break;
    *link = &s->next[at >> 1];
    at = next;
  }
  return at;
}

static int set_add(struct set *s, int k) {
  atomic_int *link;
  int mine = 0;
  for (;;) {
    int at = _set_find(s, k, &link);
    if (at >> 1 && s->key[at >> 1] == k)
      return 0;
    if (!mine) {
      mine = atomic_fetch_add(&s->used, 1) + 1;
      s->key[mine] = k;
    }
    atomic_store(&s->next[mine], at);
    if (atomic_compare_exchange_strong(link, &at, mine << 1))
      return 1;
  }
}

static int set_remove(struct set *s, int k) {
  atomic_int *link;
  for (;;) {
    int at = _set_find(s, k, &link);
    if (!(at >> 1) || s->key[at >> 1] != k)
      return 0;
    int next = atomic_load(&s->next[at >> 1]);
#ifndef UNMARKED
    if (next & 1)
      continue;
    if (!atomic_compare_exchange_strong(&s->next[at >> 1], &next, next | 1))
      continue;
    atomic_compare_exchange_strong(link, &at, next);
    return 1;
#else
    if (atomic_compare_exchange_strong(link, &at, next))
      return 1;
#endif
  }
}

static int set_contains(struct set *s, int k) {
  int at = atomic_load(&s->head);
  while (at >> 1 && s->key[at >> 1] < k)
    at = atomic_load(&s->next[at >> 1]) & ~1;
  return at >> 1 && s->key[at >> 1] == k && !(atomic_load(&s->next[at >> 1]) & 1);
}
