// A flag that is a plain variable. As written, the consumer waits until the flag is set, and sees the data, also on
// x86. A compiler may take it that no other thread writes a plain variable while this one reads it: gcc -O2 reads the
// flag once, and waits for ever if it was not set then.
//
//	gcc -O2 -g -c flag.c
//	fencepost check flag.c --binary flag.o
//
// With _Atomic in front of the type of ready, both are safe.
#include <assert.h>
#include <pthread.h>

int data, ready;

void *producer(void *arg) {
  data = 42;
  ready = 1;
  return arg;
}

void *consumer(void *arg) {
  while (!ready)
    ;
  assert(data == 42);
  return arg;
}

int main(void) {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}
