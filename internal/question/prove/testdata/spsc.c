// A ring buffer for one producer and one consumer at a time: any number of threads take turns at both ends. Each end
// writes one index and reads the other one. The items are numbered, so that an item that is lost, doubled or read too early
// shows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { size = 4 };

static unsigned slot[size];
static atomic_uint head; // next to fill, the producer's
static atomic_uint tail; // next to empty, the consumer's
static atomic_int producing, consuming;

static bool put(void) {
  unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
  if (h - atomic_load_explicit(&tail, memory_order_acquire) == size)
    return false;
  slot[h % size] = h;
  atomic_store_explicit(&head, h + 1, memory_order_release);
  return true;
}

static bool get(void) {
  unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
  if (atomic_load_explicit(&head, memory_order_acquire) == t)
    return false;
  unsigned item = slot[t % size];
  assert(item == t);
  atomic_store_explicit(&tail, t + 1, memory_order_release);
  return true;
}

//@ replicate
void *work(void *arg) {
  for (;;) {
    if (!atomic_exchange_explicit(&producing, 1, memory_order_acquire)) {
      put();
      atomic_store_explicit(&producing, 0, memory_order_release);
    }
    if (!atomic_exchange_explicit(&consuming, 1, memory_order_acquire)) {
      get();
      atomic_store_explicit(&consuming, 0, memory_order_release);
    }
  }
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
