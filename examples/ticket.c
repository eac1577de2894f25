// A ticket lock: take a number with a relaxed fetch-and-add, wait until it is
// served, pass the lock on with a release store. Right under every model.
// expect: sc=safe tso=safe pso=safe robust=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct ticket_lock { atomic_uint next, serving; } lock;
int counter;

static void acquire(struct ticket_lock *l) {
  unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&l->serving, memory_order_acquire) != mine)
    ;
}

static void release(struct ticket_lock *l) {
  unsigned now = atomic_load_explicit(&l->serving, memory_order_relaxed);
  atomic_store_explicit(&l->serving, now + 1, memory_order_release);
}

void *work(void *arg) {
  acquire(&lock);
  counter++;
  release(&lock);
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
