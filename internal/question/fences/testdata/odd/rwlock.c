// Readers of a lock, and a flag beside it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int inside, outside;
atomic_int flag;

void *work(void *arg) {
  pthread_rwlock_wrlock(&lock);
  inside = 1;
  pthread_rwlock_unlock(&lock);
  outside = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  pthread_rwlock_rdlock(&lock);
  int seen = inside;
  pthread_rwlock_unlock(&lock);
  if (atomic_load(&flag)) // needs: acquire
    assert(seen <= outside);
  pthread_join(a, 0);
}
