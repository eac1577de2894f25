// The queue lock of Mellor-Crummey and Scott.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node *_Atomic next;
  atomic_int waits;
};

struct node *_Atomic tail;
struct node nodes[2];
int count;

void *work(void *arg) {
  struct node *me = &nodes[(long)arg];
  atomic_store(&me->waits, 1); // needs: relaxed
  struct node *before = atomic_exchange(&tail, me); // needs: acquire
  if (before) {
    atomic_store(&before->next, me); // needs: release
    while (atomic_load(&me->waits)) // needs: acquire
      ;
  }
  count++;
  struct node *after = atomic_load(&me->next); // needs: acquire
  if (!after) {
    struct node *expected = me;
    if (atomic_compare_exchange_strong(&tail, &expected, (struct node *)0)) // needs: release, failure relaxed
      return 0;
    while (!(after = atomic_load(&me->next))) // needs: acquire
      ;
  }
  atomic_store(&after->waits, 0); // needs: release
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)0);
  pthread_create(&b, 0, work, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
