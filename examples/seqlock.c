// A sequence lock: the writer makes the number odd, writes, and makes it even
// again; a reader that saw two different numbers, or an odd one, tries again.
// The processor keeps stores in order under TSO, and that is all it needs; under
// PSO the data overtakes the numbers. write_barrier() twice repairs it.
// expect: sc=safe tso=safe pso=unsafe robust=yes
#include <assert.h>
#include <pthread.h>

volatile unsigned seq;
volatile int x, y; // always equal, for who reads them right

#ifdef REPAIRED
#define write_barrier() __asm__ __volatile__("sfence" ::: "memory")
#else
#define write_barrier() __asm__ __volatile__("" ::: "memory")
#endif

void *writer(void *arg) {
  seq++;
  write_barrier();
  x = 1;
  y = 1;
  write_barrier();
  seq++;
  return NULL;
}

void *reader(void *arg) {
  unsigned before;
  int a, b;
  do {
    before = seq;
    a = x;
    b = y;
  } while (before % 2 == 1 || before != seq);
  assert(a == b);
  return NULL;
}

int main(void) {
  pthread_t w, r;
  pthread_create(&w, NULL, writer, NULL);
  pthread_create(&r, NULL, reader, NULL);
  pthread_join(w, NULL);
  pthread_join(r, NULL);
  return 0;
}
