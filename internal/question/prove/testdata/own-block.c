// Blocks of a thread's own, for any number of threads: each thread fills a block that no other one sees, and frees it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct box { int v; };
int x;
//@ replicate
void *work(void *arg) {
  struct box *b = malloc(sizeof *b);
  b->v = 1;
  int r = x;
  x = 2;
  assert(b->v == 1);
  free(b);
  return NULL;
}
int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
