// Treiber's stack, and how it breaks without any store buffer: pop reads the top A
// and its successor B, and is interrupted. Another thread pops A and B, and pushes A
// back. The compare-exchange finds A on top as before and puts B, which is in use
// elsewhere, back on the stack (ABA). A counter beside the pointer repairs it, see
// treiber-tagged.c.
// expect: sc=unsafe tso=unsafe pso=unsafe robust=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
  struct node *next;
  atomic_int owned; // taken off the stack and in use
};

struct node nodes[2];
_Atomic(struct node *) top;

static void push(struct node *n) {
  struct node *old = atomic_load(&top);
  do
    n->next = old;
  while (!atomic_compare_exchange_weak(&top, &old, n));
}

static struct node *pop(void) {
  struct node *old = atomic_load(&top);
  while (old != NULL && !atomic_compare_exchange_weak(&top, &old, old->next))
    ;
  return old;
}

static struct node *take(void) {
  struct node *n = pop();
  if (n != NULL)
    assert(atomic_exchange(&n->owned, 1) == 0);
  return n;
}

void *one(void *arg) {
  take();
  take();
  return NULL;
}

void *other(void *arg) {
  struct node *a = take();
  take();
  if (a != NULL) {
    atomic_store(&a->owned, 0);
    push(a);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  push(&nodes[1]);
  push(&nodes[0]);
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, other, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
