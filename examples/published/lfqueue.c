// A queue with one element: two threads take elements, and one adds an element later.
// source: Taymindis/lfqueue e095b6727ae5f5729b11747b7d682c9c2ec8330e
// answers: sc=unsafe tso=unsafe
#include "Taymindis/lfqueue/lfqueue.c"
#include <pthread.h>

static lfqueue_t q;
static int element[3];

static void *takes(void *unused) {
  lfqueue_deq(&q);
  return unused;
}

int main(void) {
  pthread_t t;
  lfqueue_init(&q);
  lfqueue_enq(&q, &element[0]);
  lfqueue_enq(&q, &element[1]);
  lfqueue_enq(&q, &element[2]);
  pthread_create(&t, NULL, takes, NULL);
  lfqueue_deq(&q);
  lfqueue_deq(&q);
  pthread_join(t, NULL);
}
