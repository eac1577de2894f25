// Double-checked locking for any number of threads, with an object that is allocated.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config { int size; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *volatile config;
static int made; // how often it was built

static struct config *get(void) {
  if (config == NULL) {
    pthread_mutex_lock(&lock);
    if (config == NULL) {
      struct config *c = malloc(sizeof *c);
      assert(made == 0);
      made++;
      c->size = 8;
      config = c;
    }
    pthread_mutex_unlock(&lock);
  }
  return config;
}

//@ replicate
void *work(void *arg) {
  struct config *c = get();
  assert(c->size == 8);
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
