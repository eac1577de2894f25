// A spinlock as Linux had it: a locked decrement to take it, a plain store to give
// it back. TSO keeps the order of stores, so nothing is lost; PSO does not.
// A release store in unlock repairs it.
// expect: sc=safe tso=safe pso=unsafe robust=yes
#include <assert.h>
#include <pthread.h>

typedef struct { volatile int slock; } spinlock_t;

spinlock_t lock = { 1 };
int counter;

static void spin_lock(spinlock_t *l) {
  while (__sync_fetch_and_sub(&l->slock, 1) != 1)
    while (l->slock <= 0)
      __asm__ __volatile__("rep; nop" ::: "memory");
}

static void spin_unlock(spinlock_t *l) {
  __asm__ __volatile__("" ::: "memory");
  l->slock = 1;
}

void *work(void *arg) {
  spin_lock(&lock);
  counter++;
  spin_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}
