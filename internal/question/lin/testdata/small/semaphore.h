// A semaphore. With RESERVED, a call that waits has its unit already, and the value is negative.
#include <stdatomic.h>

static atomic_int units;

void sem_down(void) {
#ifdef RESERVED
  if (atomic_fetch_sub(&units, 1) <= 0)
    while (units < 0)
      ;
#else
  int n = units;
  do {
    while (n <= 0)
      n = units;
  } while (!atomic_compare_exchange_strong(&units, &n, n - 1));
#endif
}

void sem_up(void) {
  atomic_fetch_add(&units, 1);
}

int sem_value(void) {
  return units;
}
