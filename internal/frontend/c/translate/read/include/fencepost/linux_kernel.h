/* The part of <fencepost/linux.h> that code of the kernel needs around its concurrency: memory, lists, messages. */
#ifndef _FP_LINUX_KERNEL_H
#define _FP_LINUX_KERNEL_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fencepost/linux_rcu.h>

#define __init
#define __exit
#define __user
#define __rcu
#define __iomem
#define __percpu
#define __force
#define __must_check
#define __maybe_unused __attribute__((__unused__))
#ifndef __always_inline
#define __always_inline inline
#endif
#define __read_mostly
#define ____cacheline_aligned __attribute__((__aligned__(64)))
#define ____cacheline_aligned_in_smp ____cacheline_aligned
#define __cacheline_aligned ____cacheline_aligned
#define EXPORT_SYMBOL(name) struct __fp_nothing
#define EXPORT_SYMBOL_GPL(name) struct __fp_nothing
#define MODULE_LICENSE(text) struct __fp_nothing
#define MODULE_AUTHOR(text) struct __fp_nothing
#define MODULE_DESCRIPTION(text) struct __fp_nothing
#define MODULE_VERSION(text) struct __fp_nothing
#define module_init(function) struct __fp_nothing
#define module_exit(function) struct __fp_nothing

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(x) ((void)sizeof(char[1 - 2 * !!(x)]))
#ifndef container_of
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#endif
#ifndef min
#define min(a, b) __extension__ ({ __typeof__(a) __fp_a = (a); __typeof__(b) __fp_b = (b); __fp_a < __fp_b ? __fp_a : __fp_b; })
#define max(a, b) __extension__ ({ __typeof__(a) __fp_a = (a); __typeof__(b) __fp_b = (b); __fp_a > __fp_b ? __fp_a : __fp_b; })
#endif
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

#define MAX_ERRNO 4095
#define IS_ERR_VALUE(x) ((unsigned long)(x) >= (unsigned long)-MAX_ERRNO)
#define ERR_PTR(error) ((void *)(long)(error))
#define PTR_ERR(pointer) ((long)(pointer))
#define IS_ERR(pointer) IS_ERR_VALUE(pointer)
#define IS_ERR_OR_NULL(pointer) (!(pointer) || IS_ERR(pointer))

typedef unsigned gfp_t;
#define GFP_KERNEL 0u
#define GFP_ATOMIC 0u
#define GFP_NOWAIT 0u
#define kmalloc(size, flags) ((void)(flags), malloc(size))
#define kzalloc(size, flags) ((void)(flags), calloc(1, (size)))
#define kcalloc(n, size, flags) ((void)(flags), calloc((n), (size)))
#define kmalloc_array(n, size, flags) ((void)(flags), malloc((n) * (size)))
#define kfree(p) free((void *)(p))
#define kvfree(p) kfree(p)
#define vmalloc(size) malloc(size)
#define vfree(p) kfree(p)

#define KERN_ERR ""
#define KERN_WARNING ""
#define KERN_INFO ""
#define KERN_DEBUG ""
#define printk(...) ((void)printf(__VA_ARGS__))
#define pr_err(...) printk(__VA_ARGS__)
#define pr_warn(...) printk(__VA_ARGS__)
#define pr_info(...) printk(__VA_ARGS__)
#define pr_debug(...) printk(__VA_ARGS__)

/* Lists: rings of nodes. What readers of RCU may see is published by rcu_assign_pointer. */
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
static inline void INIT_LIST_HEAD(struct list_head *l) {
  WRITE_ONCE(l->next, l);
  l->prev = l;
}
static inline void __fp_list_insert(struct list_head *n, struct list_head *prev, struct list_head *next) {
  next->prev = n;
  n->next = next;
  n->prev = prev;
  WRITE_ONCE(prev->next, n);
}
static inline void __fp_list_insert_rcu(struct list_head *n, struct list_head *prev, struct list_head *next) {
  n->next = next;
  n->prev = prev;
  rcu_assign_pointer(prev->next, n);
  next->prev = n;
}
static inline void list_add(struct list_head *n, struct list_head *l) { __fp_list_insert(n, l, l->next); }
static inline void list_add_tail(struct list_head *n, struct list_head *l) { __fp_list_insert(n, l->prev, l); }
static inline void list_add_rcu(struct list_head *n, struct list_head *l) { __fp_list_insert_rcu(n, l, l->next); }
static inline void list_add_tail_rcu(struct list_head *n, struct list_head *l) { __fp_list_insert_rcu(n, l->prev, l); }
static inline void __fp_list_remove(struct list_head *n) {
  n->next->prev = n->prev;
  WRITE_ONCE(n->prev->next, n->next);
}
static inline void list_del(struct list_head *n) {
  __fp_list_remove(n);
  n->next = n->prev = NULL;
}
static inline void list_del_init(struct list_head *n) {
  __fp_list_remove(n);
  INIT_LIST_HEAD(n);
}
static inline void list_del_rcu(struct list_head *n) {
  __fp_list_remove(n);
  n->prev = NULL;
}
static inline void list_replace_rcu(struct list_head *old, struct list_head *n) {
  n->next = old->next;
  n->prev = old->prev;
  rcu_assign_pointer(n->prev->next, n);
  n->next->prev = n;
  old->prev = NULL;
}
static inline void list_move_tail(struct list_head *n, struct list_head *l) {
  __fp_list_remove(n);
  list_add_tail(n, l);
}
#define list_empty(l) (READ_ONCE((l)->next) == (l))
#define list_entry(node, type, member) container_of(node, type, member)
#define list_first_entry(l, type, member) list_entry((l)->next, type, member)
#define list_first_entry_or_null(l, type, member) (list_empty(l) ? NULL : list_first_entry(l, type, member))
#define list_next_entry(p, member) list_entry((p)->member.next, __typeof__(*(p)), member)
#define list_for_each(node, l) for (node = (l)->next; node != (l); node = node->next)
#define list_for_each_entry(p, l, member) \
  for (p = list_entry((l)->next, __typeof__(*p), member); &p->member != (l); p = list_next_entry(p, member))
#define list_for_each_entry_safe(p, n, l, member) \
  for (p = list_entry((l)->next, __typeof__(*p), member), n = list_next_entry(p, member); &p->member != (l); \
       p = n, n = list_next_entry(n, member))
#define list_entry_rcu(node, type, member) list_entry(rcu_dereference(node), type, member)
#define list_for_each_entry_rcu(p, l, member, ...) \
  for (p = list_entry_rcu((l)->next, __typeof__(*p), member); &p->member != (l); \
       p = list_entry_rcu(p->member.next, __typeof__(*p), member))
#endif
