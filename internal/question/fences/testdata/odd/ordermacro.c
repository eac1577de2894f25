// An order that is a macro: each access gets its own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define ORDER memory_order_seq_cst
#define AGAIN ORDER
#define GET(p) atomic_load_explicit(p, ORDER) // needs: acquire

atomic_int flag, other;
int data;

void *work(void *arg) {
  data = 1;
  atomic_store_explicit(&flag, 1, AGAIN); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  int expected = 0;
  pthread_create(&a, 0, work, 0);
  atomic_compare_exchange_strong_explicit(&other, &expected, 1, ORDER, ORDER); // needs: relaxed, failure relaxed
  if (GET(&flag))
    assert(data == 1);
  pthread_join(a, 0);
}
