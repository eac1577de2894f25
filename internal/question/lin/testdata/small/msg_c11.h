// A number behind a relaxed flag.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
int d; atomic_int f;
//@ op thread w
void put(int v) { d = v; atomic_store_explicit(&f, 1, memory_order_relaxed); }
//@ op
int get(void) { return atomic_load_explicit(&f, memory_order_relaxed) ? d : 0; }
