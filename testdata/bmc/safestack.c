/* Vyukov's array-based lock-free stack. Two threads can come to hold the same
   element: a thread that has read the head and then sleeps takes an element
   that has been taken and put back meanwhile, with its successor. Needs three
   threads and, under SC, five switches. Elements name their successors by relaxed
   stores, which a processor may delay. */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

#define SIZE 3
#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int next[SIZE] = {1, 2, -1};
static atomic_int head = 0;
static atomic_int count = SIZE;
static int value[SIZE];

static int pop(void) {
  while (atomic_load(&count) > 1) {
    int first = atomic_load(&head);
    int second = atomic_exchange(&next[first], -1);
    if (second >= 0) {
      int expected = first;
      if (atomic_compare_exchange_strong(&head, &expected, second)) {
        atomic_fetch_sub(&count, 1);
        return first;
      }
      atomic_exchange(&next[first], second);
    }
  }
  return -1;
}

static void push(int i) {
  int first = atomic_load(&head);
  do {
    atomic_store_explicit(&next[i], first, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong(&head, &first, i));
  atomic_fetch_add(&count, 1);
}

static void *worker(void *arg) {
  int id = (int)(long)arg;
  for (int round = 0; round < ROUNDS; round++) {
    int i;
    do {
      i = pop();
    } while (i < 0);
    value[i] = id;
    assert(value[i] == id);
    push(i);
  }
  return 0;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, worker, (void *)1);
  pthread_create(&b, 0, worker, (void *)2);
  pthread_create(&c, 0, worker, (void *)3);
  return 0;
}
