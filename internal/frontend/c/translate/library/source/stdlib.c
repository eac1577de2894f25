/* What of stdlib.h touches no file. */
typedef unsigned long size_t;
int *__errno_location(void);

int abs(int n) {
  return n < 0 ? -n : n;
}

long labs(long n) {
  return n < 0 ? -n : n;
}

long long llabs(long long n) {
  return n < 0 ? -n : n;
}

struct quotient { int quot, rem; };
struct long_quotient { long quot, rem; };

struct quotient div(int a, int b) {
  struct quotient q = { a / b, a % b };
  return q;
}

struct long_quotient ldiv(long a, long b) {
  struct long_quotient q = { a / b, a % b };
  return q;
}

struct long_quotient lldiv(long long a, long long b) {
  struct long_quotient q = { a / b, a % b };
  return q;
}

static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 99;
}

static const unsigned long most = ~0ul;

enum { EINVAL = 22, ERANGE = 34 };

/* Reads a number, of which there are none in an unknown base; *negative and *large say what it is. */
static unsigned long number(const char *s, char **end, int base, int *negative, int *large) {
  const char *p = s;
  unsigned long n = 0;
  if (base < 0 || base == 1 || base > 36) {
    *__errno_location() = EINVAL;
    *negative = *large = 0;
    return 0;
  }
  while (*p == ' ' || *p >= '\t' && *p <= '\r')
    p++;
  *negative = *p == '-';
  *large = 0;
  if (*p == '-' || *p == '+')
    p++;
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit(p[2]) < 16) {
    p += 2;
    base = 16;
  } else if (base == 0) {
    base = *p == '0' ? 8 : 10;
  }
  if (digit(*p) < base)
    s = 0;
  for (int d; (d = digit(*p)) < base; p++) {
    if (n > (most - d) / base)
      *large = 1;
    n = n * base + d;
  }
  if (end)
    *end = (char *)(s ? s : p);
  return n;
}

unsigned long strtoul(const char *s, char **end, int base) {
  int negative, large;
  unsigned long n = number(s, end, base, &negative, &large);
  if (large) {
    *__errno_location() = ERANGE;
    return most;
  }
  return negative ? -n : n;
}

unsigned long long strtoull(const char *s, char **end, int base) {
  return strtoul(s, end, base);
}

long strtol(const char *s, char **end, int base) {
  int negative, large;
  unsigned long n = number(s, end, base, &negative, &large), limit = most / 2 + negative;
  if (large || n > limit) {
    *__errno_location() = ERANGE;
    n = limit;
  }
  return negative ? -n : n;
}

long long strtoll(const char *s, char **end, int base) {
  return strtol(s, end, base);
}

int atoi(const char *s) {
  return (int)strtol(s, 0, 10);
}

long atol(const char *s) {
  return strtol(s, 0, 10);
}

long long atoll(const char *s) {
  return strtol(s, 0, 10);
}

static void swap(char *a, char *b, size_t n) {
  for (; n; n--, a++, b++) {
    char c = *a;
    *a = *b;
    *b = c;
  }
}

/* By insertion: the arrays that can be checked are small. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  for (size_t i = 1; i < count; i++)
    for (char *p = (char *)base + i * size; p > (char *)base && compare(p - size, p) > 0; p -= size)
      swap(p - size, p, size);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t lo = 0;
  while (lo < count) {
    size_t mid = lo + (count - lo) / 2;
    const char *at = (const char *)base + mid * size;
    int order = compare(key, at);
    if (order == 0)
      return (void *)at;
    if (order > 0)
      lo = mid + 1;
    else
      count = mid;
  }
  return 0;
}
