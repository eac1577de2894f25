// The queue lock of Craig, Landin and Hagersten, for any number of threads: a thread puts a node of its own at the tail with
// one exchange, waits until the node before it is given up, and frees that one. given is a ghost variable, the node
// that was given up last: a thread is inside while its predecessor is that node.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { atomic_int locked; };

static _Atomic(struct node *) tail;
static struct node *given;
static int inside;

//@ replicate
void *work(void *arg) {
  struct node *me = malloc(sizeof *me);
  atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  //@ invariant before->locked || given == before
  while (atomic_load_explicit(&before->locked, memory_order_acquire))
    ;
  assert(inside == 0);
  inside = 1;
  inside = 0;
  atomic_store_explicit(&me->locked, 0, memory_order_release);
  //@ ghost given = me;
  free(before);
  return NULL;
}

int main(void) {
  struct node *first = malloc(sizeof *first);
  atomic_store_explicit(&first->locked, 0, memory_order_relaxed);
  atomic_store_explicit(&tail, first, memory_order_relaxed);
  //@ ghost given = first;
  //@ global tail == 0 || tail->locked || given == tail
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
