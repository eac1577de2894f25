#ifndef _FP_STRING_H
#define _FP_STRING_H
#include <stddef.h>
/* Byte by byte, with plain loads and stores: none of these is a fence. */
static inline void *memset(void *d, int v, size_t n) {
  unsigned char *p = d;
  for (size_t i = 0; i < n; i++) p[i] = (unsigned char)v;
  return d;
}
static inline void *memcpy(void *d, const void *s, size_t n) {
  unsigned char *p = d;
  const unsigned char *q = s;
  for (size_t i = 0; i < n; i++) p[i] = q[i];
  return d;
}
static inline void *memmove(void *d, const void *s, size_t n) {
  unsigned char *p = d;
  const unsigned char *q = s;
  if ((unsigned long)p <= (unsigned long)q)
    for (size_t i = 0; i < n; i++) p[i] = q[i];
  else
    for (size_t i = n; i > 0; i--) p[i - 1] = q[i - 1];
  return d;
}
static inline int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
  for (size_t i = 0; i < n; i++) {
    int x = p[i], y = q[i];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}
static inline size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}
static inline int strcmp(const char *a, const char *b) {
  for (size_t i = 0;; i++) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
}
static inline int strncmp(const char *a, const char *b, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x != y) return x < y ? -1 : 1;
    if (!x) return 0;
  }
  return 0;
}
static inline char *strcpy(char *d, const char *s) {
  size_t i = 0;
  for (;; i++) {
    char c = s[i];
    d[i] = c;
    if (!c) return d;
  }
}
#endif
