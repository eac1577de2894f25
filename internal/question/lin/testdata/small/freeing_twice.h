// As freeing.h, but two calls can free the same block.
#include <stdatomic.h>
#include <stdlib.h>
struct item { int v; };
struct place { struct item *_Atomic p; };

static void place_put(struct place *b, struct item *n) {
  struct item *old = b->p;
  b->p = n;
  free(old);
}
