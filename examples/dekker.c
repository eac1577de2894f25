// The entry of Dekker's protocol in C: raise your flag, look at the other's, enter
// if it is down. Store buffers hide the raised flags, and both threads enter.
// Making flag an atomic_int, or a full fence after raising it, repairs it.
// expect: sc=safe tso=unsafe pso=unsafe
#include <assert.h>
#include <pthread.h>

int flag[2];
int in_cs; // how many threads are inside

void *enter(void *arg) {
  long me = (long)arg;
  flag[me] = 1;
  if (!flag[1 - me]) {
    in_cs++;
    assert(in_cs == 1);
    in_cs--;
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, enter, (void *)0);
  pthread_create(&b, NULL, enter, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
