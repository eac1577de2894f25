/* string.h and stdlib.h, the parts that are written in C. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
  char buf[16], *save, *end;
  const char *s = "banana";
  assert(strchr(s, 'n') == s + 2 && strrchr(s, 'n') == s + 4 && !strchr(s, 'x') && strchr(s, 0) == s + 6);
  assert(memchr(s, 'n', 2) == NULL && memchr(s, 'n', 3) == s + 2);
  assert(strstr(s, "nan") == s + 2 && strstr(s, "") == s && !strstr(s, "nab"));
  assert(strspn(s, "abn") == 6 && strcspn(s, "n") == 2 && strpbrk(s, "xn") == s + 2 && !strpbrk(s, "x"));
  assert(strnlen(s, 3) == 3 && strnlen(s, 7) == 6);
  strncpy(buf, "ab", 4);
  assert(buf[1] == 'b' && buf[2] == 0 && buf[3] == 0);
  strcat(buf, "cd");
  strncat(buf, "efgh", 2);
  assert(!strcmp(buf, "abcdef"));
  assert(!strcmp(strtok_r(buf, "cf", &save), "ab") && !strcmp(strtok_r(NULL, "cf", &save), "de") && !strtok_r(NULL, "cf", &save));
  char *copy = strdup("x,y"), *part = strndup("hello", 2);
  assert(!strcmp(strtok(copy, ","), "x") && !strcmp(strtok(NULL, ","), "y") && !strtok(NULL, ","));
  assert(!strcmp(part, "he"));
  free(copy);
  free(part);
  assert(strcasecmp("ABc", "abC") == 0 && strncasecmp("abX", "ABy", 2) == 0 && strcasecmp("a", "B") < 0);

  assert(abs(-3) == 3 && labs(-3L) == 3 && div(7, 2).rem == 1 && ldiv(-7, 2).quot == -3);
  assert(atoi(" -42x") == -42 && atol("7") == 7 && strtol("0x1fz", &end, 0) == 31 && *end == 'z');
  assert(strtol("077", NULL, 0) == 63 && strtoul("101", NULL, 2) == 5 && strtol("zz", &end, 10) == 0 && *end == 'z');
  assert(strtol("99999999999999999999", NULL, 10) == 0x7fffffffffffffff && strtoul("-1", NULL, 10) == ~0ul);
  int a[4] = { 3, 1, 4, 1 }, key = 4, none = 2;
  qsort(a, 4, sizeof a[0], by_value);
  assert(a[0] == 1 && a[1] == 1 && a[2] == 3 && a[3] == 4);
  assert(bsearch(&key, a, 4, sizeof a[0], by_value) == &a[3] && !bsearch(&none, a, 4, sizeof a[0], by_value));
  int *block = aligned_alloc(16, 32);
  void *other;
  assert(posix_memalign(&other, 8, 24) == 0);
  block[7] = 1;
  ((char *)other)[23] = 1;
  free(block);
  free(other);
  return 0;
}
