// A semaphore orders what comes before it; the flag is set after it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>

sem_t sem;
int early, late;
atomic_int flag;

void *work(void *arg) {
  early = 1;
  sem_post(&sem);
  late = 1;
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  sem_init(&sem, 0, 0);
  pthread_create(&a, 0, work, 0);
  sem_wait(&sem);
  assert(early == 1);
  if (atomic_load(&flag)) // needs: acquire
    assert(late == 1);
  pthread_join(a, 0);
}
