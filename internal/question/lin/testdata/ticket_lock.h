// A ticket lock. With BROKEN, two threads can draw the same ticket.
#include <stdatomic.h>
struct ticket { atomic_uint next, now; };

static void ticket_lock(struct ticket *l) {
#ifdef BROKEN
  unsigned mine = atomic_load(&l->next);
  atomic_store(&l->next, mine + 1);
#else
  unsigned mine = atomic_fetch_add(&l->next, 1);
#endif
  while (atomic_load(&l->now) != mine)
    ;
}

static void ticket_unlock(struct ticket *l) { atomic_store_explicit(&l->now, atomic_load_explicit(&l->now, memory_order_relaxed) + 1, memory_order_release); }
