// The deque of Chase and Lev with the orders and fences of Le, Pop, Cohen and Zappa Nardelli [LPCZ13].
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

atomic_int top, bottom;
atomic_int slots[SIZE];
int stolen[2];

int push(int value) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed); // needs: relaxed
  int t = atomic_load_explicit(&top, memory_order_acquire); // needs: relaxed
  if (b - t > SIZE - 1)
    return 0;
  atomic_store_explicit(&slots[b % SIZE], value, memory_order_relaxed); // needs: relaxed
  atomic_thread_fence(memory_order_release); // needs: relaxed
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); // needs: release
  return 1;
}

int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1; // needs: relaxed
  atomic_store_explicit(&bottom, b, memory_order_relaxed); // needs: seq_cst
  atomic_thread_fence(memory_order_seq_cst); // needs: relaxed
  int t = atomic_load_explicit(&top, memory_order_relaxed); // needs: seq_cst
  if (t > b) {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); // needs: relaxed
    return -1;
  }
  int value = atomic_load_explicit(&slots[b % SIZE], memory_order_relaxed); // needs: relaxed
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) // needs: release, failure relaxed
      value = -1;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); // needs: relaxed
  }
  return value;
}

int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire); // needs: acquire
  atomic_thread_fence(memory_order_seq_cst); // needs: relaxed
  int b = atomic_load_explicit(&bottom, memory_order_acquire); // needs: seq_cst
  if (t >= b)
    return -1;
  int value = atomic_load_explicit(&slots[t % SIZE], memory_order_relaxed); // needs: relaxed
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) // needs: seq_cst, failure relaxed
    return -1;
  return value;
}

void *thief(void *arg) {
  stolen[0] = steal();
  stolen[1] = steal();
  return arg;
}

int main(void) {
  pthread_t a;
  int count[3] = {0};
  pthread_create(&a, 0, thief, 0);
  push(1);
  push(2);
  int first = take();
  int second = take();
  pthread_join(a, 0);
  int all[4] = {first, second, stolen[0], stolen[1]};
  for (int i = 0; i < 4; i++)
    if (all[i] != -1) {
      assert(all[i] == 1 || all[i] == 2);
      assert(++count[all[i]] == 1);
    }
}
