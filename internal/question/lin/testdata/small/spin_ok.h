// A lock of one flag.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_flag f = ATOMIC_FLAG_INIT;
void lock(void) { while (atomic_flag_test_and_set(&f)) ; }
void unlock(void) { atomic_flag_clear_explicit(&f, memory_order_release); }
