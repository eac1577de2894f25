// A queue: two threads add an element each.
// source: pradeepgoswami90/lfqueue 1a561e4245b36220e3fdd7cd3eb34a821dca321f
// answers: sc=unsafe tso=unsafe
#include "pradeepgoswami90/lfqueue/lfq.c"
#include <pthread.h>

static Queue *q;
static Value one, two;

static void *adds(void *unused) {
  qpush(q, &two);
  return unused;
}

int main(void) {
  pthread_t t;
  q = q_initialize();
  pthread_create(&t, NULL, adds, NULL);
  qpush(q, &one);
  pthread_join(t, NULL);
}
