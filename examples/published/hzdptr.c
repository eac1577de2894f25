// Hazard pointers: a reader protects an object with hzdptr_set, looks once more whether it is still the current one,
// and reads it, as dequeue of the same repository does with the second node of its queue. Another thread replaces the
// object and retires it; three objects were retired before, so that this one makes it look for hazard pointers.
// source: chaoran/fast-wait-free-queue d41ec16e5169c864e5fdbe05e1988358bd335fa0
// with: chaoran/fast-wait-free-queue/xxhash.c
// answers: sc=safe tso=unsafe
// repair: chaoran/fast-wait-free-queue/hzdptr.h 33aFENCE();
// repaired: sc=safe tso=safe
#include "chaoran/fast-wait-free-queue/hzdptr.c"
#include <pthread.h>

enum { threads = 2, threshold = HZDPTR_THRESHOLD(threads) };

static hzdptr_t reads, writes;
static void *volatile current;

static void *fresh(char value) {
  char *p = malloc(1);
  *p = value;
  return p;
}

static void *reader(void *unused) {
  char *p = hzdptr_set(&current, &reads, 0);
  return p == current && *p < 0 ? p : unused;
}

int main(void) {
  pthread_t t;
  hzdptr_init(&reads, threads, 1);
  hzdptr_init(&writes, threads, 1);
  for (int i = 1; i < threshold; i++) hzdptr_retire(&writes, fresh(0));
  current = fresh(1);
  pthread_create(&t, NULL, reader, NULL);
  void *old = current, *next = fresh(2);
  __atomic_store_n(&current, next, __ATOMIC_SEQ_CST);
  hzdptr_retire(&writes, old);
  pthread_join(t, NULL);
}
