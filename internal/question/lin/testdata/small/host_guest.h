// A guest goes inside unless the host is there, and stays until the door opens, which it never does. A host who sees no guest
// finds nobody inside, unless stores wait in buffers.
#include <stdatomic.h>

static atomic_int here, host, inside, door;

void guest(void) {
  atomic_store_explicit(&here, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&host, memory_order_relaxed))
    inside = 1;
  while (!door)
    ;
}

int host_looks(void) {
  atomic_store_explicit(&host, 1, memory_order_relaxed);
  return atomic_load_explicit(&here, memory_order_relaxed) ? 0 : inside;
}
