// Hazard pointers: a thread protects an object before it has retired any.
// source: linD026/parallel-programs 9e9204c61d4e6613859bf2a6a4efc00950095af4
// answers: sc=unsafe tso=unsafe
// repair: linD026/parallel-programs/hp/harzard_pointer.c 54s/, 1, memory_order_consume)/&+1/
// repaired: sc=safe tso=safe
#include "linD026/parallel-programs/hp/harzard_pointer.c"

static void reclaim(void *p) { free(p); }

int main(void) {
  hp_t *hp = hp_new(reclaim);
  __hp_protect_release(hp, 0, (uintptr_t)malloc(1));
}
