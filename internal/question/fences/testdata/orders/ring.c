// A ring for one producer and one consumer: each side releases its own index, acquires that of the other, and reads its
// own relaxed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

int slots[SIZE];
atomic_uint head, tail;

int push(int value) {
  unsigned t = atomic_load(&tail); // needs: relaxed
  if (t - atomic_load(&head) == SIZE) // needs: acquire
    return 0;
  slots[t % SIZE] = value;
  atomic_store(&tail, t + 1); // needs: release
  return 1;
}

int pop(int *value) {
  unsigned h = atomic_load(&head); // needs: relaxed
  if (h == atomic_load(&tail)) // needs: acquire
    return 0;
  *value = slots[h % SIZE];
  atomic_store(&head, h + 1); // needs: release
  return 1;
}

void *producer(void *arg) {
  for (int i = 1; i <= 3; i++)
    push(i);
  return 0;
}

int main(void) {
  pthread_t a;
  int value = 0, last = 0;
  pthread_create(&a, 0, producer, 0);
  for (int i = 0; i < 2; i++)
    if (pop(&value)) {
      assert(value > last);
      last = value;
    }
  pthread_join(a, 0);
}
