// The lazy list as a set: nodes have locks and marks, and contains takes no lock. UNCHECKED changes nodes without a look at the marks.
#include <pthread.h>
#include <stdatomic.h>
struct node { pthread_mutex_t lock; int key; atomic_int marked; _Atomic(struct node *) next; };
struct set { struct node head, tail, nodes[6]; atomic_int used; };

static void set_init(struct set *s) {
  pthread_mutex_init(&s->head.lock, 0);
  pthread_mutex_init(&s->tail.lock, 0);
  for (int i = 0; i < 6; i++)
    pthread_mutex_init(&s->nodes[i].lock, 0);
  s->tail.key = 100;
  atomic_init(&s->head.next, &s->tail);
}

// lock locks the last node before k and the first other one.
static void _lock(struct set *s, int k, struct node **before, struct node **at) {
  for (;;) {
    struct node *p = &s->head, *c = atomic_load(&p->next);
    while (c->key < k) {
      p = c;
      c = atomic_load(&c->next);
    }
    pthread_mutex_lock(&p->lock);
    pthread_mutex_lock(&c->lock);
#ifdef UNCHECKED
    if (atomic_load(&p->next) == c) {
#else
    if (!atomic_load(&p->marked) && !atomic_load(&c->marked) && atomic_load(&p->next) == c) {
#endif
      *before = p;
      *at = c;
      return;
    }
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_unlock(&p->lock);
  }
}

static int set_add(struct set *s, int k) {
  struct node *p, *c;
  _lock(s, k, &p, &c);
  int ok = c->key != k;
  if (ok) {
    struct node *n = &s->nodes[atomic_fetch_add(&s->used, 1)];
    n->key = k;
    atomic_store(&n->next, c);
    atomic_store(&p->next, n);
  }
  pthread_mutex_unlock(&c->lock);
  pthread_mutex_unlock(&p->lock);
  return ok;
}

static int set_remove(struct set *s, int k) {
  struct node *p, *c;
  _lock(s, k, &p, &c);
  int ok = c->key == k;
  if (ok) {
    atomic_store(&c->marked, 1);
    atomic_store(&p->next, atomic_load(&c->next));
  }
  pthread_mutex_unlock(&c->lock);
  pthread_mutex_unlock(&p->lock);
  return ok;
}

static int set_contains(struct set *s, int k) {
  struct node *c = atomic_load(&s->head.next);
  while (c->key < k)
    c = atomic_load(&c->next);
  return c->key == k && !atomic_load(&c->marked);
}
