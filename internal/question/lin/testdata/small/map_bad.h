// A map with a cache of the last key and value, which are written one after the other.
#include <stdatomic.h>
#include <stdlib.h>
#include <stdbool.h>
#include <pthread.h>
static atomic_int v[3], cache_k, cache_v; void map_put(int k, int x) { v[k] = x; cache_k = k; cache_v = x; }
int map_get(int k) { return cache_k == k ? cache_v : v[k]; }
