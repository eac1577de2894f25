// A queue for one producer and one consumer, which can sleep while the queue is empty.
#include <stdatomic.h>

#define SLOTS 2

struct queue {
  atomic_uint head, tail;
  atomic_int sleeps;
  int slots[SLOTS];
};

static inline void queue_init(struct queue *q) {
  atomic_init(&q->head, 0);
  atomic_init(&q->tail, 0);
  atomic_init(&q->sleeps, 0);
}

static inline int queue_push(struct queue *q, int value) {
  unsigned tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
  if (tail - atomic_load_explicit(&q->head, memory_order_acquire) == SLOTS) return 0;
  q->slots[tail % SLOTS] = value;
  atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
  return 1;
}

static inline int queue_pop(struct queue *q, int *value) {
  unsigned head = atomic_load_explicit(&q->head, memory_order_relaxed);
  if (head == atomic_load_explicit(&q->tail, memory_order_acquire)) return 0;
  *value = q->slots[head % SLOTS];
  atomic_store_explicit(&q->head, head + 1, memory_order_release);
  return 1;
}

// The consumer says that it will sleep. Returns whether there is something to take after all.
static inline int queue_prepare_sleep(struct queue *q) {
  atomic_store_explicit(&q->sleeps, 1, memory_order_relaxed);
  return atomic_load_explicit(&q->tail, memory_order_acquire) != atomic_load_explicit(&q->head, memory_order_relaxed);
}

// Returns whether the producer has to wake the consumer.
static inline int queue_must_wake(struct queue *q) { return atomic_load_explicit(&q->sleeps, memory_order_relaxed); }
