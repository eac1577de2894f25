// A seqlock whose data is atomic, read and written relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_uint sequence;
atomic_int x, y;

void *writer(void *arg) {
  unsigned s = atomic_load(&sequence); // needs: relaxed
  atomic_store(&sequence, s + 1); // needs: relaxed
  atomic_store(&x, 1); // needs: release
  atomic_store(&y, 1); // needs: release
  atomic_store(&sequence, s + 2); // needs: release
  return 0;
}

void *reader(void *arg) {
  unsigned s = atomic_load(&sequence); // needs: acquire
  int a = atomic_load(&x); // needs: acquire
  int b = atomic_load(&y); // needs: acquire
  if (s % 2 == 0 && s == atomic_load(&sequence)) // needs: relaxed
    assert(a == b);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
