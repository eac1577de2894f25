// The queued lock of Prince781/locks: one thread unlocks while the other one comes.
// source: Prince781/locks f4222c37
// answers: sc=unsafe tso=unsafe
// repair: Prince781/locks/locks/mcs.h s/if (atomic_compare_exchange_strong(&lock->tail, &p, NULL))/volatile qnode *me = p;\n        if (atomic_compare_exchange_strong(\&lock->tail, \&me, NULL))/
// repaired: sc=safe tso=safe
#include <assert.h>
#include <pthread.h>
#include "Prince781/locks/locks/mcs.h"

static mcs_lock_t lock;
static int inside;

static void *work(void *arg) {
  qnode me;
  mcs_lock(&lock, &me);
  assert(inside++ == 0);
  inside--;
  mcs_unlock(&lock, &me);
  return arg;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
