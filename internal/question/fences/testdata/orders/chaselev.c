// The deque of Chase and Lev: the owner takes at the bottom, a thief at the top.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int top, bottom;
atomic_int slots[2];
int stolen[2];

void push(int value) {
  int b = atomic_load(&bottom); // needs: relaxed
  atomic_store(&slots[b % 2], value); // needs: relaxed
  atomic_store(&bottom, b + 1); // needs: release
}

int take(void) {
  int b = atomic_load(&bottom) - 1; // needs: relaxed
  atomic_store(&bottom, b); // needs: seq_cst
  int t = atomic_load(&top); // needs: seq_cst
  if (t > b) {
    atomic_store(&bottom, b + 1); // needs: relaxed
    return -1;
  }
  int value = atomic_load(&slots[b % 2]); // needs: relaxed
  if (t == b) {
    int expected = t;
    if (!atomic_compare_exchange_strong(&top, &expected, t + 1)) // needs: release, failure relaxed
      value = -1;
    atomic_store(&bottom, b + 1); // needs: relaxed
  }
  return value;
}

int steal(void) {
  int t = atomic_load(&top); // needs: acquire
  int b = atomic_load(&bottom); // needs: seq_cst
  if (t >= b)
    return -1;
  int value = atomic_load(&slots[t % 2]); // needs: relaxed
  int expected = t;
  if (!atomic_compare_exchange_strong(&top, &expected, t + 1)) // needs: seq_cst, failure relaxed
    return -1;
  return value;
}

void *thief(void *arg) {
  stolen[0] = steal();
  stolen[1] = steal();
  return 0;
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
