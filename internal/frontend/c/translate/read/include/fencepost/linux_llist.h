/* The part of <fencepost/linux.h> about singly linked lists without locks. Any thread adds nodes; to take one needs that no
   other thread takes at the same time, to take all does not. */
#ifndef _FP_LINUX_LLIST_H
#define _FP_LINUX_LLIST_H
#include <fencepost/linux_atomic.h>
#include <fencepost/linux_kernel.h>

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };
#define LLIST_HEAD_INIT(name) { NULL }
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)
static inline void init_llist_head(struct llist_head *l) { l->first = NULL; }

static inline bool llist_add_batch(struct llist_node *first, struct llist_node *last, struct llist_head *l) {
  struct llist_node *old = READ_ONCE(l->first);
  do
    last->next = old;
  while (!try_cmpxchg(&l->first, &old, first));
  return !old;
}
static inline bool llist_add(struct llist_node *n, struct llist_head *l) { return llist_add_batch(n, n, l); }
static inline struct llist_node *llist_del_all(struct llist_head *l) { return xchg(&l->first, NULL); }
static inline struct llist_node *llist_del_first(struct llist_head *l) {
  struct llist_node *n = smp_load_acquire(&l->first);
  while (n && !try_cmpxchg(&l->first, &n, READ_ONCE(n->next)))
    ;
  return n;
}
static inline struct llist_node *llist_reverse_order(struct llist_node *n) {
  struct llist_node *reversed = NULL;
  while (n) {
    struct llist_node *next = n->next;
    n->next = reversed;
    reversed = n;
    n = next;
  }
  return reversed;
}
static inline bool llist_empty(const struct llist_head *l) { return READ_ONCE(l->first) == NULL; }
static inline struct llist_node *llist_next(struct llist_node *n) { return n->next; }
#define llist_entry(node, type, member) container_of(node, type, member)
#define llist_for_each(p, node) for ((p) = (node); p; (p) = (p)->next)
#define llist_for_each_safe(p, n, node) for ((p) = (node); (p) && ((n) = (p)->next, 1); (p) = (n))
/* the entry of a null pointer is compared by its member's address, as in the kernel */
#define __fp_llist_member(p, member) ((unsigned long)(p) + offsetof(__typeof__(*(p)), member))
#define llist_for_each_entry(p, node, member) \
  for ((p) = llist_entry((node), __typeof__(*(p)), member); __fp_llist_member(p, member); \
       (p) = llist_entry((p)->member.next, __typeof__(*(p)), member))
#define llist_for_each_entry_safe(p, n, node, member) \
  for ((p) = llist_entry((node), __typeof__(*(p)), member); \
       __fp_llist_member(p, member) && ((n) = llist_entry((p)->member.next, __typeof__(*(n)), member), 1); (p) = (n))
#endif
