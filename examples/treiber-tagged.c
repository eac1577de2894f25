// Treiber's stack with a counter beside the pointer, here an index: both are one
// word, every push and pop counts up, and a compare-exchange that was overtaken
// fails even if the same node is on top again. Compare treiber.c.
// expect: sc=safe tso=safe pso=safe robust=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { none = 0xffff };

struct node {
  unsigned next;
  atomic_int owned; // taken off the stack and in use
};

struct node nodes[2] = { { 1, 0 }, { none, 0 } };
atomic_uint top; // nodes[0] at first

static unsigned index_of(unsigned word) { return word & 0xffff; }

// with is the word for a node that replaces old.
static unsigned with(unsigned old, unsigned index) { return ((old >> 16) + 1) << 16 | index; }

static void push(unsigned n) {
  unsigned old = atomic_load(&top);
  do
    nodes[n].next = index_of(old);
  while (!atomic_compare_exchange_weak(&top, &old, with(old, n)));
}

static unsigned pop(void) {
  unsigned old = atomic_load(&top);
  while (index_of(old) != none &&
         !atomic_compare_exchange_weak(&top, &old, with(old, nodes[index_of(old)].next)))
    ;
  return index_of(old);
}

static unsigned take(void) {
  unsigned n = pop();
  if (n != none)
    assert(atomic_exchange(&nodes[n].owned, 1) == 0);
  return n;
}

void *one(void *arg) {
  take();
  take();
  return NULL;
}

void *other(void *arg) {
  unsigned a = take();
  take();
  if (a != none) {
    atomic_store(&nodes[a].owned, 0);
    push(a);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, other, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
