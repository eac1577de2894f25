// Message passing: the flag is released by the writer and acquired by the reader.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;

void *writer(void *arg) {
  data = 42;
  atomic_store(&ready, 1); // needs: release
  return 0;
}

void *reader(void *arg) {
  if (atomic_load(&ready)) // needs: acquire
    assert(data == 42);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
