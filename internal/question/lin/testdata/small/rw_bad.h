// A lock for readers and writers whose readers look at the writer first, and count themselves then.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int w, r;
void read_lock(void) { while (w) ; atomic_fetch_add(&r, 1); }
void read_unlock(void) { atomic_fetch_sub(&r, 1); }
void write_lock(void) { int z = 0; while (!atomic_compare_exchange_strong(&w, &z, 1)) z = 0; while (r) ; }
void write_unlock(void) { w = 0; }
