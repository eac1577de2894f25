// Accesses in the arguments of macros.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define CHECK(condition) \
  do { \
    if (!(condition)) \
      assert(0); \
  } while (0)

atomic_int flag, data;

void *work(void *arg) {
  atomic_store(&data, 1); // needs: relaxed
  atomic_store(&flag, 1); // needs: release
  return arg;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, work, 0);
  if (atomic_load(&flag)) { // needs: acquire
    assert(atomic_load(&data)); // needs: relaxed
    CHECK(atomic_load(&data) == 1); // needs: relaxed
    CHECK(atomic_load_explicit(&data, memory_order_seq_cst) == 1); // needs: relaxed
  }
  pthread_join(a, 0);
}
