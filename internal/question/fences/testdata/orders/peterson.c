// Peterson's lock for two threads, once each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn;
int count;

void *work(void *arg) {
  long me = (long)arg, other = 1 - me;
  atomic_store(&flag[me], 1); // needs: seq_cst
  atomic_store(&turn, other); // needs: seq_cst
  while (atomic_load(&flag[other]) && atomic_load(&turn) == other) // needs: seq_cst, relaxed
    ;
  count++;
  atomic_store(&flag[me], 0); // needs: release
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
