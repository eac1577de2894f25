// The queue lock of Mellor-Crummey and Scott: a release needs the node of its acquire. FORGETFUL does not wait for a thread
// that has put its node into the queue and not yet behind that of the owner.
#include <stdatomic.h>
struct node { struct node *_Atomic next; atomic_int wait; };
struct queued { struct node *_Atomic tail; };

static void queued_lock(struct queued *l, struct node *me) {
  atomic_store(&me->next, 0);
  atomic_store(&me->wait, 1);
  struct node *before = atomic_exchange(&l->tail, me);
  if (before) {
    atomic_store(&before->next, me);
    while (atomic_load(&me->wait))
      ;
  }
}

static void queued_unlock(struct queued *l, struct node *me) {
  struct node *self = me;
#ifdef FORGETFUL
  if (!atomic_load(&me->next)) {
    atomic_compare_exchange_strong(&l->tail, &self, 0);
    return;
  }
#else
  if (!atomic_load(&me->next)) {
    if (atomic_compare_exchange_strong(&l->tail, &self, 0))
      return;
    while (!atomic_load(&me->next))
      ;
  }
#endif
  atomic_store(&atomic_load(&me->next)->wait, 0);
}
