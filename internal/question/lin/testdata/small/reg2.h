// A register in two copies that are written one after the other.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int r[2]; void put(int v) { r[0] = v; r[1] = v; }
int get(void) { int a = r[0]; return a ? a : r[1]; }
int get2(void) { return r[1]; }
