/* Blocks that grow and shrink, next to others. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int *a = realloc(NULL, 3 * sizeof *a), *b = calloc(2, sizeof *b);
  for (int i = 0; i < 3; i++)
    a[i] = i + 1;
  a = realloc(a, 5 * sizeof *a);
  a[4] = 5;
  assert(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[4] == 5);
  a = reallocarray(a, 1, sizeof *a);
  assert(a[0] == 1 && b[0] == 0 && b[1] == 0);
  char *s = strdup("abc");
  s = realloc(s, 7);
  strcat(s, "def");
  assert(!strcmp(s, "abcdef"));
  free(a);
  free(b);
  free(s);
  free(NULL);
  return 0;
}
