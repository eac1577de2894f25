// A lock with an array of flags: who acquires it gets a slot, and gives it back.
#include <stdatomic.h>
struct slots { atomic_int open[4]; atomic_uint next; };

static void slots_init(struct slots *l) { atomic_store(&l->open[0], 1); }

static void slots_acquire(struct slots *l, unsigned *slot) {
  *slot = atomic_fetch_add(&l->next, 1) % 4;
  while (!atomic_load(&l->open[*slot]))
    ;
}

static void slots_release(struct slots *l, unsigned slot) {
  atomic_store(&l->open[slot], 0);
  atomic_store(&l->open[(slot + 1) % 4], 1);
}
