// What a call sets a struct to is a result: a pair whose halves are set in two sections.
#include <pthread.h>
struct pair { int x, y; };
struct box { pthread_mutex_t m; struct pair p; };

static void box_init(struct box *b) { pthread_mutex_init(&b->m, 0); }

static void box_set(struct box *b, int v) {
  pthread_mutex_lock(&b->m);
  b->p.x = v;
  pthread_mutex_unlock(&b->m);
  pthread_mutex_lock(&b->m);
  b->p.y = v;
  pthread_mutex_unlock(&b->m);
}

static void box_get(struct box *b, struct pair *out) {
  pthread_mutex_lock(&b->m);
  *out = b->p;
  pthread_mutex_unlock(&b->m);
}
