// A bounded queue that takes one element too many: the mutex does not help.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a[2], n, h;
int q_put(int v) { pthread_mutex_lock(&m); int ok = n <= 2; if (ok) { a[(h + n) % 2] = v; n++; } pthread_mutex_unlock(&m); return ok; }
int q_get(int *out) { pthread_mutex_lock(&m); int ok = n > 0; if (ok) { *out = a[h]; h = (h + 1) % 2; n--; } pthread_mutex_unlock(&m); return ok; }
