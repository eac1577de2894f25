// Operators on atomic objects, in a condition and as statements.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct box {
  _Atomic int flag, turns;
  int data;
} box, *p = &box;

void *work(void *arg) {
  p->data = 1;
  p->turns++; // needs: relaxed
  p->flag = 1; // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  while (!p->flag) // needs: acquire
    ;
  assert(p->data == 1);
  pthread_join(a, 0);
}
