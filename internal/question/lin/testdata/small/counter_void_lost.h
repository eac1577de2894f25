// A counter that loses an increment, which only a later read shows.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int c; void inc(void) { int v = atomic_load(&c); atomic_store(&c, v + 1); }
int get(void) { return c; }
