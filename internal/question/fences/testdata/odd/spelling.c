// Comments with parentheses, constants and calls of macros as operands, orders that macros put together, commas in braces.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define ON 1
#define NEXT(i) ((i) + 1)
#define SET(x, v) do { x = v; } while (0)
#define STORE(p, v, order) atomic_store_explicit(p, v, memory_order_##order) // needs: release

atomic_bool flag;
atomic_int f, g, h, k;
int *_Atomic p, numbers[3];
int data;

void *writer(void *arg) {
  data = 1;
  flag = true; // needs: release
  g = ON; // needs: relaxed
  h = NEXT(g); // needs: release, relaxed
  k = ((int[]){1, 2})[1]; // needs: relaxed
  k = (int){3}; // needs: release
  SET(g, 2); // needs: seq_cst
  STORE(&g, 3, release);
  p = numbers; // needs: relaxed
  p++; // needs: seq_cst
  atomic_store(&f, // a comment with ) and ( // needs: release
               1 /* and ) here */);
  return arg;
}

void *reader(void *arg) {
  if (flag || h == 2 || k == 3) // needs: relaxed, relaxed, relaxed
    assert(data == 1);
  if (atomic_load(/* ) */ &f // ) // needs: acquire
      ) == 1)
    assert(data == 1 && p == &numbers[1]); // needs: relaxed
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
