// The queue lock of Mellor-Crummey and Scott: a thread appends its own node with
// one exchange and spins on it; the owner before it lets it go. The hand-over is a
// release store, which neither TSO nor PSO moves before the stores of the critical
// section. Store it with memory_order_relaxed and PSO loses an increment.
// expect: sc=safe tso=safe pso=safe robust=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int locked;
};

_Atomic(struct node *) tail;
struct node nodes[2];
int counter;

static void acquire(struct node *me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
  if (before == NULL)
    return;
  atomic_store_explicit(&before->next, me, memory_order_release);
  while (atomic_load_explicit(&me->locked, memory_order_acquire))
    ;
}

static void release(struct node *me) {
  struct node *next = atomic_load_explicit(&me->next, memory_order_acquire);
  if (next == NULL) {
    struct node *expected = me;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release, memory_order_relaxed))
      return;
    do // another thread has the tail already and is about to link itself
      next = atomic_load_explicit(&me->next, memory_order_acquire);
    while (next == NULL);
  }
  atomic_store_explicit(&next->locked, 0, memory_order_release);
}

void *work(void *arg) {
  struct node *me = arg;
  acquire(me);
  counter++;
  release(me);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, &nodes[0]);
  pthread_create(&b, NULL, work, &nodes[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}
