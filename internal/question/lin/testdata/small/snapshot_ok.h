// Two numbers that are read until they have not changed.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int x, y; void set_x(int v) { x = v; }
void set_y(int v) { y = v; }
void scan(int *a, int *b) { int p, q, r; do { p = x; q = y; r = x; } while (p != r || q != y); *a = p; *b = q; }
