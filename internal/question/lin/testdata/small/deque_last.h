// A deque whose owner takes the last element with stores.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct d { atomic_int top, bottom, slot[8]; };
//@ op thread owner
void d_push(struct d *d, int v) { int b = d->bottom; d->slot[b] = v; d->bottom = b + 1; }
//@ op thread owner
int d_take(struct d *d) { int b = d->bottom - 1; d->bottom = b; int t = d->top; if (t > b) { d->bottom = b + 1; return 0; } int v = d->slot[b]; if (t == b) d->bottom = b + 1, d->top = t + 1; return v; }
//@ op
//@ may fail -1
int d_steal(struct d *d) { int t = d->top; if (t >= d->bottom) return 0; int v = d->slot[t]; return atomic_compare_exchange_strong(&d->top, &t, t + 1) ? v : -1; }
