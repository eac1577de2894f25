// A blocking queue that signals the first element only.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int a[4], n, h;
void q_put(int v) { pthread_mutex_lock(&m); a[(h + n++) % 4] = v; if (n == 1) pthread_cond_signal(&c); pthread_mutex_unlock(&m); }
int q_get(void) { pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); int v = a[h]; h = (h + 1) % 4; n--; pthread_mutex_unlock(&m); return v; }
