// Two threads hand plain data back and forth by one variable.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int turn;
int data;

void *work(void *arg) {
  while (atomic_load(&turn) != 1) // needs: acquire
    ;
  data++;
  atomic_store(&turn, 2); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  data = 1;
  atomic_store(&turn, 1); // needs: release
  while (atomic_load(&turn) != 2) // needs: acquire
    ;
  assert(data == 2);
  pthread_join(a, 0);
}
