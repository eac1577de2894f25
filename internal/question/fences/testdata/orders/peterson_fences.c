// Peterson's lock with fences: relaxed accesses, and a fence between the stores and the look at the other thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn;
int count;

void *work(void *arg) {
  long me = (long)arg, other = 1 - me;
  atomic_store_explicit(&flag[me], 1, memory_order_relaxed); // needs: relaxed
  atomic_exchange_explicit(&turn, other, memory_order_acq_rel); // needs: acq_rel
  atomic_thread_fence(memory_order_seq_cst); // needs: relaxed
  while (atomic_load_explicit(&flag[other], memory_order_acquire) && atomic_load_explicit(&turn, memory_order_relaxed) == other) // needs: acquire, relaxed
    ;
  count++;
  atomic_store_explicit(&flag[me], 0, memory_order_release); // needs: release
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)0);
  pthread_create(&b, 0, work, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
