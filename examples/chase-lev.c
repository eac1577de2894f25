// The work-stealing deque of Chase and Lev: the owner puts and takes at the bottom,
// a thief steals from the top, and only the last element is contended. take must not
// look at top before its own bottom is in memory; without the fence between the two
// (-D FENCE puts it in) the owner and the thief run the same task.
// expect: sc=safe tso=unsafe pso=unsafe robust=no
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { size = 2, empty = -1 };

atomic_int top, bottom;
atomic_int task[size];
atomic_int runs[size]; // how often each task was run

static void put(int t) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&task[b % size], t, memory_order_relaxed);
  atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t > b) { // nothing left
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return empty;
  }
  int got = atomic_load_explicit(&task[b % size], memory_order_relaxed);
  if (t == b) { // the last one: the thread that moves top has it
    if (!atomic_compare_exchange_strong(&top, &t, t + 1))
      got = empty;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return got;
}

static int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  int b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b)
    return empty;
  int got = atomic_load_explicit(&task[t % size], memory_order_relaxed);
  if (!atomic_compare_exchange_strong(&top, &t, t + 1))
    return empty;
  return got;
}

static void run(int t) {
  if (t != empty)
    assert(atomic_fetch_add(&runs[t], 1) == 0);
}

void *thief(void *arg) {
  run(steal());
  run(steal());
  return NULL;
}

int main(void) {
  pthread_t t;
  put(0);
  put(1);
  pthread_create(&t, NULL, thief, NULL);
  run(take());
  run(take());
  pthread_join(t, NULL);
  return 0;
}
