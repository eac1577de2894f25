// A queue whose producers fill reserved slots in any order, and whose consumer skips empty ones.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
struct q { atomic_int tail; atomic_int slot[6]; };
void q_put(struct q *q, int v) { int t = atomic_fetch_add(&q->tail, 1); q->slot[t] = v; }
int q_get(struct q *q) { int n = q->tail; for (int i = 0; i < n; i++) { int v = atomic_exchange(&q->slot[i], 0); if (v) return v; } return 0; }
