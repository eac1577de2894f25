/* What of string.h is not translated at the place of the call. */
typedef unsigned long size_t;
size_t strlen(const char *);
int strncmp(const char *, const char *, size_t);
char *strcpy(char *, const char *);
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);

void *memchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  for (; n; n--, p++)
    if (*p == (unsigned char)c)
      return (void *)p;
  return 0;
}

void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  while (n--)
    if (p[n] == (unsigned char)c)
      return (void *)(p + n);
  return 0;
}

void *mempcpy(void *to, const void *from, size_t n) {
  return (char *)memcpy(to, from, n) + n;
}

size_t strnlen(const char *s, size_t n) {
  size_t i = 0;
  while (i < n && s[i])
    i++;
  return i;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}

char *stpcpy(char *to, const char *from) {
  while ((*to = *from++))
    to++;
  return to;
}

char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strncat(char *to, const char *from, size_t n) {
  char *p = to + strlen(to);
  for (; n && *from; n--)
    *p++ = *from++;
  *p = 0;
  return to;
}

char *strchr(const char *s, int c) {
  for (;; s++) {
    char have = *s;
    if (have == (char)c)
      return (char *)s;
    if (!have)
      return 0;
  }
}

char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

char *strrchr(const char *s, int c) {
  const char *last = 0;
  for (;; s++) {
    char have = *s;
    if (have == (char)c)
      last = s;
    if (!have)
      return (char *)last;
  }
}

size_t strspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && strchr(set, s[n]))
    n++;
  return n;
}

size_t strcspn(const char *s, const char *set) {
  size_t n = 0;
  while (s[n] && !strchr(set, s[n]))
    n++;
  return n;
}

char *strpbrk(const char *s, const char *set) {
  s += strcspn(s, set);
  return *s ? (char *)s : 0;
}

char *strstr(const char *s, const char *what) {
  size_t n = strlen(what);
  for (;; s++) {
    if (!strncmp(s, what, n))
      return (char *)s;
    if (!*s)
      return 0;
  }
}

char *strtok_r(char *s, const char *set, char **save) {
  if (!s)
    s = *save;
  s += strspn(s, set);
  if (!*s) {
    *save = s;
    return 0;
  }
  char *end = s + strcspn(s, set);
  if (*end)
    *end++ = 0;
  *save = end;
  return s;
}

static char *strtok_rest;

char *strtok(char *s, const char *set) {
  return strtok_r(s, set, &strtok_rest);
}

char *strdup(const char *s) {
  return strcpy(malloc(strlen(s) + 1), s);
}

char *strndup(const char *s, size_t n) {
  size_t have = strnlen(s, n);
  char *to = malloc(have + 1);
  memcpy(to, s, have);
  to[have] = 0;
  return to;
}

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

int strncasecmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    int x = lower((unsigned char)*a), y = lower((unsigned char)*b);
    if (x != y || !x)
      return x - y;
  }
  return 0;
}

int strcasecmp(const char *a, const char *b) {
  return strncasecmp(a, b, ~0ul);
}

char *strsep(char **at, const char *stop) {
  char *begin = *at;
  if (!begin)
    return 0;
  for (char *p = begin; *p; p++)
    for (const char *s = stop; *s; s++)
      if (*p == *s) {
        *p = 0;
        *at = p + 1;
        return begin;
      }
  *at = 0;
  return begin;
}

int strcoll(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return *(const unsigned char *)a - *(const unsigned char *)b;
}

void bzero(void *s, size_t n) {
  for (char *p = s; n; n--)
    *p++ = 0;
}
