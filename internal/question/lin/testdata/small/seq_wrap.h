// A sequence count that wraps after one write.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
atomic_int s, a, b;
//@ op thread w
void put(int v) { s = (s + 1) % 2; a = v; b = v; s = (s + 1) % 2; }
//@ op
void get(int *x, int *y) { int n; do { n = s; *x = a; *y = b; } while (n % 2 || n != s); }
