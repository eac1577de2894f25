// A lock that its owner can take again: what a call does depends on its thread.
#include <pthread.h>
#include <stdatomic.h>
struct again { atomic_int held; _Atomic(pthread_t) owner; int depth; };

//@ op
static int again_try(struct again *l) {
  if (atomic_load(&l->held) && pthread_equal(atomic_load(&l->owner), pthread_self())) {
    l->depth++;
    return 1;
  }
  int free = 0;
  if (!atomic_compare_exchange_strong(&l->held, &free, 1))
    return 0;
  atomic_store(&l->owner, pthread_self());
  l->depth = 1;
  return 1;
}
