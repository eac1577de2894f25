/* A thread parks until it is woken. A permit that is left over is taken with a plain store, which may still be in
   the store buffer when the thread tests the condition again; if the other thread gives a permit in between, the
   late store wipes it out, and the thread waits although it was woken. FENCED drains the buffer first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int condition, permit = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static void park(void) {
  if (permit > 0) {
    permit = 0;
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    return;
  }
  pthread_mutex_lock(&lock);
  while (permit == 0)
    pthread_cond_wait(&wake, &lock); /* a lost wake-up is a deadlock */
  permit = 0;
  pthread_mutex_unlock(&lock);
}

static void unpark(void) {
  pthread_mutex_lock(&lock);
  permit = 1;
  pthread_cond_signal(&wake);
  pthread_mutex_unlock(&lock);
}

static void *sleeper(void *arg) {
  while (!condition)
    park();
  return 0;
}

static void *waker(void *arg) {
  condition = 1;
  unpark();
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, sleeper, 0);
  pthread_create(&b, 0, waker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
