// A ticket lock: the ticket is drawn relaxed; the number that is served is acquired and released.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint next, serving;
int count;

void *work(void *arg) {
  unsigned mine = atomic_fetch_add(&next, 1); // needs: relaxed
  while (atomic_load(&serving) != mine) // needs: acquire
    ;
  count++;
  atomic_store(&serving, mine + 1); // needs: release
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(count == 2);
}
