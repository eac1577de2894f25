// A ticket lock that gives tickets to its callers, which give them back.
#include <stdatomic.h>
struct tickets { atomic_uint next, owner; };

static unsigned tickets_lock(struct tickets *l) {
  unsigned mine = atomic_fetch_add(&l->next, 1);
  while (atomic_load(&l->owner) != mine)
    ;
  return mine;
}

static void tickets_unlock(struct tickets *l, unsigned mine) { atomic_store(&l->owner, mine + 1); }
