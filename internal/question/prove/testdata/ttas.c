#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int lock;
int inside;

static void acquire(void) {
  for (;;) {
    while (atomic_load_explicit(&lock, memory_order_relaxed))
      ;
    if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))
      return;
  }
}
static void release(void) { atomic_store_explicit(&lock, 0, memory_order_release); }
//@ replicate
void *work(void *arg) {
  acquire();
  assert(inside == 0);
  inside = 1;
  inside = 0;
  release();
  return NULL;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
