// The builtins of GCC; the order of __sync_fetch_and_add stays.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int flag, other, data;

void *work(void *arg) {
  int expected = 0;
  data = 1;
  __atomic_compare_exchange_n(&flag, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); // needs: release, failure relaxed
  __sync_fetch_and_add(&other, 1); // needs: seq_cst
  return arg;
}

int main(void) {
  pthread_t a;
  int seen;
  pthread_create(&a, 0, work, 0);
  __atomic_load(&flag, &seen, __ATOMIC_SEQ_CST); // needs: acquire
  if (seen)
    assert(data == 1);
  pthread_join(a, 0);
}
