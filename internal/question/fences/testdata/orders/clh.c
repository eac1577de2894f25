// The queue lock of Craig, Landin and Hagersten.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  atomic_int locked;
};

struct node nodes[3];
struct node *_Atomic tail = &nodes[2];
int count;

void *work(void *arg) {
  struct node *me = &nodes[(long)arg];
  atomic_store(&me->locked, 1); // needs: relaxed
  struct node *before = atomic_exchange(&tail, me); // needs: acq_rel
  while (atomic_load(&before->locked)) // needs: acquire
    ;
  count++;
  atomic_store(&me->locked, 0); // needs: release
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
