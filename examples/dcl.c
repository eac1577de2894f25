// Double-checked locking: look whether the object is there without the lock, and
// only if it is not, take the lock and look again. A thread that comes later reads the
// pointer without the lock, so the pointer must not reach memory before the object:
// TSO keeps that order, PSO does not. A release store of the pointer repairs it.
// expect: sc=safe tso=safe pso=unsafe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
  int size;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct config *volatile config;
int made; // how often it was built

static struct config *get(void) {
  if (config == NULL) {
    pthread_mutex_lock(&lock);
    if (config == NULL) {
      struct config *c = malloc(sizeof *c);
      made++;
      c->size = 8;
      config = c;
    }
    pthread_mutex_unlock(&lock);
  }
  return config;
}

void *work(void *arg) {
  struct config *c = get();
  assert(c->size == 8);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(made == 1);
  return 0;
}
