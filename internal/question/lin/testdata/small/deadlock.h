// Two operations that take two mutexes in opposite orders.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
static pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER; static int x;
int up(void) { pthread_mutex_lock(&p); pthread_mutex_lock(&q); int v = x++; pthread_mutex_unlock(&q); pthread_mutex_unlock(&p); return v; }
int down(void) { pthread_mutex_lock(&q); pthread_mutex_lock(&p); int v = x--; pthread_mutex_unlock(&p); pthread_mutex_unlock(&q); return v; }
