/* A new block, a copy, and the old one freed: blocks carry their sizes where a
   program mentions these functions. */
void *malloc(unsigned long);
void free(void *);
unsigned long __fp_block_size(void *);
int *__errno_location(void);

void *realloc(void *p, unsigned long n) {
  if (!p)
    return malloc(n);
  if (!n) {
    free(p);
    return 0;
  }
  unsigned long size = __fp_block_size(p), i = 0;
  char *q = malloc(n);
  if (size > n)
    size = n;
  for (; i + sizeof(long) <= size; i += sizeof(long))
    *(long *)(q + i) = *(long *)((char *)p + i);
  for (; i < size; i++)
    q[i] = ((char *)p)[i];
  free(p);
  return q;
}

void *reallocarray(void *p, unsigned long n, unsigned long size) {
  if (size && n > ~0ul / size) {
    *__errno_location() = 12; /* ENOMEM */
    return 0;
  }
  return realloc(p, n * size);
}
