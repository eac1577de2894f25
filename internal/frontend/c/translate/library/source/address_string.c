// Functions whose addresses programs take: calls through pointers go to these.
#include <string.h>

void *__fp_address_memcpy(void *to, const void *from, size_t n) {
  return memcpy(to, from, n);
}

void *__fp_address_memmove(void *to, const void *from, size_t n) {
  return memmove(to, from, n);
}

void *__fp_address_memset(void *to, int c, size_t n) {
  return memset(to, c, n);
}

int __fp_address_memcmp(const void *a, const void *b, size_t n) {
  return memcmp(a, b, n);
}

size_t __fp_address_strlen(const char *s) {
  return strlen(s);
}

int __fp_address_strcmp(const char *a, const char *b) {
  return strcmp(a, b);
}

int __fp_address_strncmp(const char *a, const char *b, size_t n) {
  return strncmp(a, b, n);
}
