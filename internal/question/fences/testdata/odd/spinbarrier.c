// A barrier that spins: all threads write before it and read after it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int arrived;
int data[2];

void *work(void *arg) {
  long me = (long)arg;
  data[me] = 1;
  atomic_fetch_add(&arrived, 1); // needs: release
  while (atomic_load(&arrived) < 2) // needs: acquire
    ;
  assert(data[1 - me] == 1);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)0);
  pthread_create(&b, 0, work, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
