// A ring buffer for one producer and one consumer. Each side writes one index and
// reads the other's; the release stores keep the slot and its index in order. Right
// under every model; with relaxed stores PSO hands out slots that are not filled.
// expect: sc=safe tso=safe pso=safe robust=no
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { size = 2, items = 3 };

struct ring {
  int slot[size];
  atomic_uint head; // next to fill, the producer's
  atomic_uint tail; // next to empty, the consumer's
} ring;

static bool put(struct ring *r, int v) {
  unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (h - atomic_load_explicit(&r->tail, memory_order_acquire) == size)
    return false;
  r->slot[h % size] = v;
  atomic_store_explicit(&r->head, h + 1, memory_order_release);
  return true;
}

static bool get(struct ring *r, int *v) {
  unsigned t = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (atomic_load_explicit(&r->head, memory_order_acquire) == t)
    return false;
  *v = r->slot[t % size];
  atomic_store_explicit(&r->tail, t + 1, memory_order_release);
  return true;
}

void *producer(void *arg) {
  for (int i = 1; i <= items; i++)
    while (!put(&ring, i))
      ;
  return NULL;
}

int main(void) {
  static int v;
  pthread_t t;
  pthread_create(&t, NULL, producer, NULL);
  for (int i = 1; i <= items; i++) {
    while (!get(&ring, &v))
      ;
    assert(v == i);
  }
  pthread_join(t, NULL);
  return 0;
}
