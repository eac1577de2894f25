/* Mutual exclusion by loads and stores, one entry per thread. ALGORITHM chooses one, and FENCES says for
   which model it has fences: 0 none, 1 TSO, 2 PSO. Both threads write a variable in the critical section and
   read it back. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define DEKKER 1
#define LAMPORT 2
#define SZYMANSKI 3

static volatile int flag[2], turn, x, y, data;

#if FENCES >= 1
#define FULL() atomic_thread_fence(memory_order_seq_cst)
#else
#define FULL()
#endif
#if FENCES >= 2 /* stores keep their order */
#define STORES() atomic_thread_fence(memory_order_seq_cst)
#else
#define STORES()
#endif

#if ALGORITHM == DEKKER
static void lock(int me) {
  flag[me] = 1;
  FULL();
  while (flag[1 - me]) {
    if (turn != me) {
      flag[me] = 0;
      while (turn != me)
        ;
      flag[me] = 1;
      FULL();
    }
  }
}

static void unlock(int me) {
  STORES();
  turn = 1 - me;
  STORES();
  flag[me] = 0;
}
#elif ALGORITHM == LAMPORT
static void lock(int me) {
  for (;;) {
    flag[me] = 1;
    STORES();
    x = me + 1;
    FULL();
    if (y != 0) {
      flag[me] = 0;
      while (y != 0)
        ;
      continue;
    }
    y = me + 1;
    FULL();
    if (x == me + 1)
      return;
    flag[me] = 0;
    while (flag[1 - me])
      ;
    if (y == me + 1)
      return;
    while (y != 0)
      ;
  }
}

static void unlock(int me) {
  STORES();
  y = 0;
  STORES();
  flag[me] = 0;
}
#else
static void lock(int me) {
  flag[me] = 1;
  FULL();
  while (flag[1 - me] >= 3)
    ;
  flag[me] = 3;
  FULL();
  if (flag[1 - me] == 1) {
    flag[me] = 2;
    FULL();
    while (flag[1 - me] != 4)
      ;
  }
  flag[me] = 4;
  FULL();
  if (me == 1)
    while (flag[0] >= 2)
      ;
}

static void unlock(int me) {
  STORES();
  if (me == 0)
    while (flag[1] & 2) // 2 or 3, read once
      ;
  STORES();
  flag[me] = 0;
}
#endif

static void *work(void *arg) {
  int me = (int)(long)arg;
  lock(me);
  data = me;
  assert(data == me);
  unlock(me);
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
