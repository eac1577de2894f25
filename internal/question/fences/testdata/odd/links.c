// Atomic pointers to atomic members, and atomic indices: loads that begin at one place in the text, inside of stores and
// updates.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node *) next;
  atomic_int value;
} nodes[2];
_Atomic(struct node *) head;
atomic_int i, f[2];
atomic_int *_Atomic p = &f[1];
int data;

void *writer(void *arg) {
  data = 1;
  nodes[0].next = &nodes[1]; // needs: release
  head = &nodes[0]; // needs: relaxed
  head->value = 3; // needs: relaxed, relaxed
  f[i]++; // needs: release, relaxed
  *p = 4; // needs: relaxed, relaxed
  (*p)--; // needs: relaxed, relaxed
  p[0] += 2; // needs: relaxed, relaxed
  return arg;
}

void *reader(void *arg) {
  if (head && head->next && head->next->value == 0 && head->value == 3) // needs: relaxed, acquire, relaxed, relaxed, relaxed, relaxed, relaxed, relaxed
    assert(data == 1);
  if (f[i] == 1 && *p == 5 && f[f[0]] == 5) // needs: acquire, relaxed, relaxed, relaxed, relaxed, relaxed
    assert(data == 1);
  return arg;
}

int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, writer, 0);
  pthread_create(&u, 0, reader, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
