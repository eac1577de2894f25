// Functions whose addresses programs take: calls through pointers go to these.
#include <stdlib.h>

void __fp_address_free(void *p) {
  free(p);
}

void *__fp_address_malloc(size_t n) {
  return malloc(n);
}

void *__fp_address_calloc(size_t n, size_t size) {
  return calloc(n, size);
}

void *__fp_address_aligned_alloc(size_t align, size_t n) {
  return aligned_alloc(align, n);
}

void __fp_address_abort(void) {
  abort();
}

void __fp_address_exit(int status) {
  exit(status);
}
