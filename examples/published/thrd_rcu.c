// RCU: a reader of a pointer, and an updater that frees what it pointed to after synchronize_rcu.
// source: linD026/parallel-programs 9e9204c61d4e6613859bf2a6a4efc00950095af4
// answers: sc=safe tso=unsafe
// repair: linD026/parallel-programs/rcu/thrd-based-rcu/thrd_rcu.h 145a__sync_synchronize();
// repaired: sc=safe tso=safe
#include "linD026/parallel-programs/rcu/thrd-based-rcu/thrd_rcu.h"
#include <pthread.h>

static int *shared;

static void *reader(void *unused) {
  rcu_init();
  rcu_read_lock();
  int *p = rcu_dereference(shared);
  int seen = *(volatile int *)p;
  (void)seen;
  rcu_read_unlock();
  return unused;
}

int main(void) {
  pthread_t t;
  shared = malloc(sizeof(int));
  *shared = 1;
  int *new = malloc(sizeof(int));
  *new = 2;
  pthread_create(&t, NULL, reader, NULL);
  int *old = rcu_assign_pointer(shared, new);
  synchronize_rcu();
  free(old);
  pthread_join(t, NULL);
}
