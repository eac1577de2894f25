// Lesson 7: the same in C.
// task: The assertion fails under TSO. One line with a fence, atomic_thread_fence(memory_order_seq_cst), is enough.
// fences: at most 1
// expect: sc=safe tso=safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int flag[2];
int inside;

void *work(void *arg) {
  long me = (long)arg;
  flag[me] = 1;
  if (!flag[1 - me]) {
    inside++;
    assert(inside == 1);
    inside--;
  }
  flag[me] = 0;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, (void *)0);
  pthread_create(&b, 0, work, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
