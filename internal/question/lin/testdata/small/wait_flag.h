// A call that waits for a flag which nobody sets, and shows that it has begun.
#include <stdatomic.h>

static atomic_int x, flag;

void wait_for(void) {
  x = 1;
  while (!flag)
    ;
  x = 0;
}

int get(void) {
  return x;
}
