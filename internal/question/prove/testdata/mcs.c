// The queue lock of Mellor-Crummey and Scott, for any number of threads: a thread puts a node of its own at the tail with one
// exchange, links it to the node before it, and spins on it until the thread before lets it go. Ghost variables say
// who holds the lock, and in which order threads came: after and prev are the queue as it is, next is the part of it
// that threads have linked.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int locked;
  struct node *after, *prev; // ghost
};

static _Atomic(struct node *) tail;
static struct node *holder; // ghost
static int inside;

//@ replicate
void *work(void *arg) {
  struct node *me = malloc(sizeof *me);
  //@ ghost me->after = 0;
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
  //@ invariant me->locked == 1
  //@ invariant me->next == 0
  //@ invariant me->after == 0
  //@ invariant me != tail && me != holder
  //@ invariant forall struct node *a: a->after != me
  struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  //@ ghost before ? (before->after = me, me->prev = before) : (holder = me);
  if (before != NULL) {
    //@ invariant before->after == me && before->next == 0
    //@ invariant me->locked || holder == me
    //@ invariant me->next == 0 || me->next == me->after
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->locked, memory_order_acquire))
      ;
  }
  //@ invariant holder == me
  assert(inside == 0);
  inside = 1;
  inside = 0;
  struct node *next = atomic_load_explicit(&me->next, memory_order_acquire);
  if (next == NULL) {
    struct node *expected = me;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release, memory_order_relaxed)) {
      //@ ghost holder = 0;
      free(me);
      return NULL;
    }
    do // another thread has the tail already and is about to link itself
      next = atomic_load_explicit(&me->next, memory_order_acquire);
    while (next == NULL);
  }
  //@ invariant next == me->after && next != 0
  atomic_store_explicit(&next->locked, 0, memory_order_release);
  //@ ghost holder = next; me->after = 0;
  free(me);
  return NULL;
}

int main(void) {
  //@ global tail != 0 || holder == 0
  //@ global tail == 0 || tail->after == 0 && tail->next == 0
  //@ global forall struct node *a: a->after == 0 || a->after->prev == a
  //@ global forall struct node *a: holder == 0 || a->after != holder
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
