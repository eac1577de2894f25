// A mutex with two flags and a turn, without fences.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int f0, f1, turn; 
//@ op thread a
void lock(void) { atomic_store_explicit(&f0, 1, memory_order_release); atomic_store_explicit(&turn, 1, memory_order_release); while (atomic_load_explicit(&f1, memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) == 1) ; }
//@ op thread a
void unlock(void) { atomic_store_explicit(&f0, 0, memory_order_release); }
//@ op thread b
void lock_b(void) { atomic_store_explicit(&f1, 1, memory_order_release); atomic_store_explicit(&turn, 0, memory_order_release); while (atomic_load_explicit(&f0, memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) == 0) ; }
//@ op thread b
void unlock_b(void) { atomic_store_explicit(&f1, 0, memory_order_release); }
