// Numbers that nobody else gets: the second call of a thread goes wrong beside another thread.
#include <stdatomic.h>
static atomic_int next;
static _Thread_local int calls;

static int number(void) {
  if (calls++ == 0)
    return atomic_fetch_add(&next, 1);
  int v = next;
  next = v + 1;
  return v;
}
