// Treiber's stack: push releases, pop acquires.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  int value;
  struct node *next;
};

struct node *_Atomic top;
struct node nodes[2];

void *push(void *arg) {
  struct node *n = &nodes[(long)arg];
  n->value = 1 + (long)arg;
  struct node *old = atomic_load(&top); // needs: relaxed
  do
    n->next = old;
  while (!atomic_compare_exchange_strong(&top, &old, n)); // needs: release, failure relaxed
  return 0;
}

int pop(void) {
  struct node *n = atomic_load(&top); // needs: acquire
  while (n && !atomic_compare_exchange_strong(&top, &n, n->next)) // needs: relaxed, failure acquire
    ;
  return n ? n->value : 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, push, (void *)0);
  pthread_create(&b, 0, push, (void *)1);
  assert(pop() <= 2);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
