// A deque: the owner takes from a new one. Nothing was put into it, so it has no element.
// source: laysakura/Lock-free_work-stealing_deque_in_C 426425c273a60e7e73e20194bb905c6aea49985d
// answers: sc=unsafe tso=unsafe
// repair: laysakura/Lock-free_work-stealing_deque_in_C/gsoc_taskqueue.c s/num_tasks < 0/(long)&/;s/_bottom = 1;/_bottom = 0;/
// repaired: sc=safe tso=safe
#include "laysakura/Lock-free_work-stealing_deque_in_C/gsoc_taskqueue.c"

int main(void) {
  gsoc_taskqueue *q = gsoc_taskqueue_new();
  assert(gsoc_taskqueue_pop(q) == NULL);
}
