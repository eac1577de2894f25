// A sequence lock for any number of threads, each of which reads and then writes. A writer makes the number odd, writes,
// and makes it even again; a reader that saw an odd number, or two different ones, tries again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint seq;
static volatile int x, y; // equal while the number is even

static void write_both(void) {
  unsigned s;
  do
    do
      s = atomic_load_explicit(&seq, memory_order_relaxed);
    while (s % 2 == 1);
  while (!atomic_compare_exchange_strong(&seq, &s, s + 1));
  int next = x + 1;
  x = next;
  y = next;
  atomic_store_explicit(&seq, s + 2, memory_order_release);
}

static void read_both(void) {
  unsigned before;
  int a, b;
  do {
    do
      before = atomic_load_explicit(&seq, memory_order_acquire);
    while (before % 2 == 1);
    a = x;
    b = y;
  } while (before != atomic_load_explicit(&seq, memory_order_relaxed));
  assert(a == b);
}

//@ replicate
void *work(void *arg) {
  read_both();
  write_both();
  return NULL;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_join(a, NULL);
  return 0;
}
