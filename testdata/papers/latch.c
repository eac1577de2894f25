/* Two workers of a database hand work to each other: a flag says that there is work, and a latch wakes the
   worker. The latch must not be seen before the flag. FENCED keeps the order of the two stores. With BOUNDED, a
   worker waits a number of rounds and then goes on, so that its loop is not one that waits for a value alone. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif

static volatile int latch[2] = {1, 0}, flag[2] = {1, 0};

#ifdef FENCED
#define STORES() atomic_thread_fence(memory_order_seq_cst)
#else
#define STORES()
#endif

static void *worker(void *arg) {
  int me = (int)(long)arg;
  for (int k = 0; k < ROUNDS; k++) {
#ifdef BOUNDED
    int seen = 0;
    for (int spins = 0; spins < BOUNDED && !seen; spins++)
      seen = latch[me];
    if (!seen)
      return 0;
#else
    while (!latch[me])
      ;
#endif
    assert(flag[me]);
    latch[me] = 0;
    STORES();
    flag[me] = 0;
    STORES();
    flag[1 - me] = 1;
    STORES();
    latch[1 - me] = 1;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, (void *)0);
  pthread_create(&b, 0, worker, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
