// A block is freed when the other thread has read it, and used again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int *_Atomic shared;
atomic_int done;

void *work(void *arg) {
  int *p = atomic_load(&shared); // needs: acquire
  if (p) {
    assert(*p == 1);
    atomic_store(&done, 1); // needs: release
  }
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  int *p = malloc(sizeof *p);
  *p = 1;
  atomic_store(&shared, p); // needs: release
  if (atomic_load(&done)) { // needs: acquire
    free(p);
    int *q = malloc(sizeof *q);
    *q = 2;
    free(q);
  }
  pthread_join(a, 0);
}
