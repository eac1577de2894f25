/* The core of a portable runtime: pools of memory that form a tree and are freed as a whole, with functions that
   run when a pool is destroyed; mutexes and threads that live in pools. PART 1: each thread creates pools below a
   common one. PART 2: the threads count under a mutex that lives in the common pool. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

typedef struct block {
  struct block *next;
  long data[2];
} block_t;

typedef struct cleanup {
  struct cleanup *next;
  void (*run)(void *);
  void *arg;
} cleanup_t;

typedef struct pool {
  struct pool *parent, *child, *sibling;
  block_t *blocks;
  cleanup_t *cleanups;
  pthread_mutex_t *lock; /* of the tree */
} pool_t;

static pool_t *pool_create(pool_t *parent, pthread_mutex_t *lock) {
  pool_t *p = calloc(1, sizeof *p);
  assert(p);
  p->parent = parent;
  p->lock = lock;
  if (parent) {
    pthread_mutex_lock(lock);
    p->sibling = parent->child;
    parent->child = p;
    pthread_mutex_unlock(lock);
  }
  return p;
}

static void *pool_alloc(pool_t *p) {
  block_t *b = malloc(sizeof *b);
  assert(b);
  b->next = p->blocks;
  p->blocks = b;
  b->data[0] = b->data[1] = 0;
  return b->data;
}

static void pool_cleanup(pool_t *p, void (*run)(void *), void *arg) {
  cleanup_t *c = malloc(sizeof *c);
  assert(c);
  c->next = p->cleanups;
  c->run = run;
  c->arg = arg;
  p->cleanups = c;
}

static void pool_free(pool_t *p) {
  while (p->cleanups) {
    cleanup_t *c = p->cleanups;
    p->cleanups = c->next;
    c->run(c->arg);
    free(c);
  }
  while (p->blocks) {
    block_t *b = p->blocks;
    p->blocks = b->next;
    free(b);
  }
  free(p);
}

static void pool_destroy(pool_t *p) {
  while (p->child) /* the children's children are gone: the tree has two levels */
  {
    pool_t *c = p->child;
    p->child = c->sibling;
    pool_free(c);
  }
  if (p->parent) {
    pthread_mutex_lock(p->lock);
    pool_t **at = &p->parent->child;
    while (*at != p)
      at = &(*at)->sibling;
    *at = p->sibling;
    pthread_mutex_unlock(p->lock);
  }
  pool_free(p);
}

static void mutex_destroy(void *m) { assert(pthread_mutex_destroy(m) == 0); }

static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER;
static pool_t *root;
static pthread_mutex_t *counter_lock;
static long *counter;

static void *work(void *arg) {
  long me = (long)arg;
  for (int k = 0; k < ROUNDS; k++) {
#if PART == 1
    pool_t *mine = pool_create(root, &tree);
    long *cell = pool_alloc(mine);
    cell[0] = me;
    cell[1] = k;
    assert(cell[0] == me && cell[1] == k);
    pool_destroy(mine);
#else
    pthread_mutex_lock(counter_lock);
    *counter = *counter + 1;
    pthread_mutex_unlock(counter_lock);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t t[THREADS];
  root = pool_create(NULL, &tree);
  counter = pool_alloc(root);
  counter_lock = calloc(1, sizeof *counter_lock);
  assert(counter_lock && pthread_mutex_init(counter_lock, NULL) == 0);
  pool_cleanup(root, mutex_destroy, counter_lock);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], NULL);
#if PART == 2
  assert(*counter == THREADS * ROUNDS);
#endif
  pool_destroy(root);
  free(counter_lock);
  return 0;
}
