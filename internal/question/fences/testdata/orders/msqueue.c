// The queue of Michael and Scott, with nodes that are never freed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  int value;
  struct node *_Atomic next;
};

struct node nodes[3];
struct node *_Atomic head = &nodes[0], *_Atomic tail = &nodes[0];

void enqueue(struct node *n, int value) {
  n->value = value;
  for (;;) {
    struct node *last = atomic_load(&tail); // needs: relaxed
    struct node *next = atomic_load(&last->next); // needs: relaxed
    if (!next) {
      if (atomic_compare_exchange_strong(&last->next, &next, n)) { // needs: release, failure relaxed
        atomic_compare_exchange_strong(&tail, &last, n); // needs: relaxed, failure relaxed
        return;
      }
    } else {
      atomic_compare_exchange_strong(&tail, &last, next); // needs: relaxed, failure relaxed
    }
  }
}

int dequeue(void) {
  struct node *first = atomic_load(&head); // needs: relaxed
  struct node *next = atomic_load(&first->next); // needs: acquire
  if (!next)
    return 0;
  int value = next->value;
  if (atomic_compare_exchange_strong(&head, &first, next)) // needs: relaxed, failure relaxed
    return value;
  return 0;
}

void *one(void *arg) {
  enqueue(&nodes[1], 1);
  return 0;
}

void *two(void *arg) {
  enqueue(&nodes[2], 2);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  assert(dequeue() <= 2);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
