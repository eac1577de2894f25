// A ring that is full one element too late.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct r { atomic_uint h, t; int slot[2]; };
//@ op thread p
int r_push(struct r *r, int v) { unsigned t = r->t; if (t - r->h > 2) return 0; r->slot[t % 2] = v; r->t = t + 1; return 1; }
//@ op thread c
int r_pop(struct r *r) { unsigned h = r->h; if (h == r->t) return 0; int v = r->slot[h % 2]; r->h = h + 1; return v; }
