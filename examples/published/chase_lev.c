// A work-stealing deque of two elements: the owner pops one while a thief steals twice. No element is taken twice.
// source: toddaaro/chase_lev 39ed17082ae41de52d27e251e07ac0717a65dac2
// answers: sc=safe tso=unsafe
// repair: toddaaro/chase_lev/src/chase_lev.c 95a__sync_synchronize();
// repaired: sc=safe tso=safe
#include "toddaaro/chase_lev/src/chase_lev.c"
#include <assert.h>
#include <pthread.h>

static ws_deque *q;
static int taken[3];

static void count(void *e) {
  if (e) __atomic_fetch_add(&taken[(long)e], 1, __ATOMIC_RELAXED);
}

static void *thief(void *unused) {
  count(steal(q));
  count(steal(q));
  return unused;
}

int main(void) {
  pthread_t t;
  q = ws_queue_build();
  push_bottom(q, (void *)1);
  push_bottom(q, (void *)2);
  pthread_create(&t, NULL, thief, NULL);
  count(pop_bottom(q));
  pthread_join(t, NULL);
  assert(taken[1] <= 1 && taken[2] <= 1);
}
