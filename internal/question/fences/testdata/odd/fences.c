// Fences that are written can be weaker, or without effect.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;
int data;

void *work(void *arg) {
  data = 1;
  atomic_thread_fence(memory_order_seq_cst); // needs: relaxed
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  if (atomic_load(&flag)) { // needs: acquire
    atomic_thread_fence(memory_order_seq_cst); // needs: relaxed
    assert(data == 1);
  }
  pthread_join(a, 0);
}
