// Double-checked locking for any number of threads: look without the lock whether the object is there, and only if it
// is not, take the lock and look again.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct config { int size; };

static struct config block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct config *volatile config;
static int made; // how often it was built

static struct config *get(void) {
  if (config == NULL) {
    pthread_mutex_lock(&lock);
    if (config == NULL) {
      struct config *c = &block;
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
