// Peterson's mutual exclusion in C with seq_cst atomics, whose stores drain the
// store buffer: right under every model. With plain ints it is not.
// expect: sc=safe tso=safe pso=safe robust=yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2], turn;
int counter;

void *work(void *arg) {
  int me = (int)(long)arg, other = 1 - me;
  flag[me] = 1;
  turn = other;
  while (flag[other] && turn == other)
    ;
  counter++;
  flag[me] = 0;
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, (void *)0);
  pthread_create(&b, NULL, work, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}
