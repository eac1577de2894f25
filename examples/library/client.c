// expect: sc=safe tso=unsafe pso=unsafe robust=no
// A client of queue.h: the consumer must not sleep while the queue has something and no thread wakes it.
#include <assert.h>
#include <pthread.h>
#include "queue.h"

// The threads share these.
static struct queue shared_queue;
static int wakes, sleeps;

static void *first(void *arg) {
  queue_push(&shared_queue, 42);
  wakes = queue_must_wake(&shared_queue);
  return 0;
}

static void *second(void *arg) {
  sleeps = !queue_prepare_sleep(&shared_queue);
  return 0;
}

int main(void) {
  pthread_t a, b;
  queue_init(&shared_queue);
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!sleeps || wakes);
  return 0;
}
