#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct ticket_lock { atomic_uint next, serving; } lock;
int inside;

static void acquire(struct ticket_lock *l) {
  unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&l->serving, memory_order_acquire) != mine)
    ;
}
static void release(struct ticket_lock *l) {
  unsigned now = atomic_load_explicit(&l->serving, memory_order_relaxed);
  atomic_store_explicit(&l->serving, now + 1, memory_order_release);
}
//@ replicate
void *work(void *arg) {
  acquire(&lock);
  assert(inside == 0);
  inside = 1;
  inside = 0;
  release(&lock);
  return NULL;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
