// An event: waiting for it changes nothing.
#include <stdatomic.h>

static atomic_int happened;

void event_wait(void) {
  while (!happened)
    ;
}

void event_set(void) {
  happened = 1;
}

int event_is_set(void) {
  return happened;
}
