// Treiber's stack with tags, for any number of threads: the top is a word with the index of a node, and a tag that every
// push and pop counts up, so that a compare-exchange that was overtaken fails even if the same node is on top again. A
// thread stops when the tag is at its end, since the proof is for any number of steps. What a thread has popped is its
// own. Ghost variables say which nodes are in the stack, and which node is above each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { none = 0, last = 0x3fffffff };

static atomic_uint top = 1;
static atomic_uint next[4] = { none, 2, 3, none };
static int value[4];
static int in[4] = { 0, 1, 1, 1 };               // ghost
static unsigned above[4] = { none, none, 1, 2 }; // ghost

//@ replicate
void *work(void *arg) {
  for (;;) {
    unsigned n, after, old = atomic_load_explicit(&top, memory_order_acquire);
    do { // pop
      if ((old & 3) == none || old >> 2 == last)
        return NULL;
      //@ invariant (old & 3) != none && old >> 2 != last && old >> 2 <= top >> 2
      after = atomic_load_explicit(&next[old & 3], memory_order_relaxed);
      //@ invariant top != old || next[old & 3] == after
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, ((old >> 2) + 1) << 2 | after, memory_order_acq_rel, memory_order_acquire));
    //@ ghost in[old & 3] = 0; above[after] = none;
    n = old & 3;
    //@ invariant !in[n]
    value[n] = 1;
    //@ invariant value[n] == 1
    assert(value[n] == 1);
    value[n] = 0;
    old = atomic_load_explicit(&top, memory_order_relaxed);
    do { // push
      if (old >> 2 == last)
        return NULL;
      //@ invariant old >> 2 != last
      atomic_store_explicit(&next[n], old & 3, memory_order_relaxed);
      //@ invariant next[n] == (old & 3)
    } while (!atomic_compare_exchange_strong_explicit(&top, &old, ((old >> 2) + 1) << 2 | n, memory_order_release, memory_order_relaxed));
    //@ ghost in[n] = 1; above[n] = none; above[old & 3] = n;
  }
}

int main(void) {
  //@ global (top & 3) == none || in[top & 3] && above[top & 3] == none
  //@ global forall i: i < 1 || i >= 4 || !in[i] || next[i] == none || next[i] < 4 && in[next[i]] && above[next[i]] == i
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
