// A place for one block: what was there before is freed, so blocks come from the heap.
#include <stdatomic.h>
#include <stdlib.h>
struct item { int v; };
struct place { struct item *_Atomic p; };

static void place_put(struct place *b, struct item *n) { free(atomic_exchange(&b->p, n)); }
