// Treiber's stack with tags and nodes that are allocated, for any number of threads: the top is a pointer with a tag beside
// it, and both are compared and exchanged at once, 16 bytes. Every push and pop counts the tag up, so that one that was
// overtaken fails even if the same node is on top again. What a thread has allocated or popped is its own. Ghost
// fields say which nodes are in the stack, me is the node itself then and null otherwise, and which node is above each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  _Atomic(struct node *) next;
  int value;
  struct node *me, *above; // ghost
};

struct top { struct node *first; unsigned long tag; };
static struct top top __attribute__((aligned(16)));

//@ replicate
void *work(void *arg) {
  struct top old, new;
  struct node *n = malloc(sizeof *n);
  //@ ghost n->me = 0;
  for (;;) {
    //@ invariant n->me == 0
    n->value = 1;
    //@ invariant n->value == 1
    assert(n->value == 1);
    n->value = 0;
    __atomic_load(&top, &old, __ATOMIC_RELAXED);
    do { // push
      if (old.tag == -1ul)
        return NULL;
      //@ invariant old.tag != -1ul
      atomic_store_explicit(&n->next, old.first, memory_order_relaxed);
      new.first = n;
      new.tag = old.tag + 1;
      //@ invariant n->next == old.first
      //@ invariant new.tag == old.tag + 1
    } while (!__atomic_compare_exchange(&top, &old, &new, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    //@ ghost n->me = n; n->above = 0; old.first ? (old.first->above = n) : n;
    __atomic_load(&top, &old, __ATOMIC_ACQUIRE);
    do { // pop
      if (old.first == NULL || old.tag == -1ul)
        return NULL;
      //@ invariant old.first != 0 && old.tag != -1ul && old.tag <= top.tag
      new.first = atomic_load_explicit(&old.first->next, memory_order_relaxed);
      new.tag = old.tag + 1;
      //@ invariant old.tag + 1 == new.tag
      //@ invariant top.first != old.first || top.tag != old.tag || old.first->next == new.first
    } while (!__atomic_compare_exchange(&top, &old, &new, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    //@ ghost old.first->me = 0; new.first ? (new.first->above = 0) : 0;
    n = old.first;
  }
}

int main(void) {
  //@ global top.first == 0 || top.first->me != 0 && top.first->above == 0
  //@ global forall struct node *a: a->me == 0 || a->me == a && (a->next == 0 || a->next->me != 0 && a->next->above == a)
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
