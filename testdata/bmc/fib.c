/* Two threads add two counters to each other, N times each. Taking turns
   strictly they come to a Fibonacci number, 377 in the end if N is 6, and no further. With JOIN the sums
   are read when both threads have ended. */
#include <pthread.h>
#include <assert.h>

#ifndef N
#define N 6
#endif
#ifndef LIMIT
#define LIMIT 377 /* reached; 378 is not */
#endif

static int i = 1, j = 1;

static void *first(void *arg) {
  for (int k = 0; k < N; k++)
    i = i + j;
  return 0;
}

static void *second(void *arg) {
  for (int k = 0; k < N; k++)
    j = j + i;
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
#ifdef JOIN
  pthread_join(a, 0);
  pthread_join(b, 0);
#endif
  int x = i, y = j;
  assert(x < LIMIT && y < LIMIT);
  return 0;
}
