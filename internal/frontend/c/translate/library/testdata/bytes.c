// string.h and calloc, one thread: what they compute.
#include <string.h>
#include <stdlib.h>
#include <assert.h>
struct s { int a; char b; long c; };
struct p { int x, y; };
int src[40], dst[40];
char buf[64];
int main(void) {
  volatile int nn = 30;
  int n = nn;
 for (int i = 0; i < 40; i++) src[i] = i * 1000003;
  assert(memcpy(dst, src, n * sizeof(int)) == dst);
 for (int i = 0; i < 30; i++) assert(dst[i] == src[i]);
  assert(dst[30] == 0);
  memcpy(dst, src, sizeof dst);
  assert(memcmp(dst, src, sizeof src) == 0);
  dst[39]++;
  assert(memcmp(dst, src, sizeof src) > 0);
  assert(memcmp(src, dst, sizeof src) < 0);
  struct s a = {1, 2, 3}, b;
  memset(&b, 0, sizeof b);
  memcpy(&b, &a, sizeof a);
  assert(b.a == 1 && b.b == 2 && b.c == 3);
  struct p u[2] = {{1,2},{3,4}}, v[2];
  memcpy(v, u, sizeof u);
  assert(v[1].x == 3 && v[0].y == 2);
  memmove(v, &v[1], sizeof v[0]);
  assert(v[0].x == 3);
  int w[8] = {1,2,3,4,5,6,7,8};
  n = 5;
  memmove(w + 2, w, n * sizeof(int));
  assert(w[2] == 1 && w[6] == 5 && w[7] == 8 && w[1] == 2);
  memmove(w, w + 2, n * sizeof(int));
  assert(w[0] == 1 && w[4] == 5);
  memset(buf, 'x', n * 3);
  assert(buf[14] == 'x' && buf[15] == 0);
  assert(strlen(buf) == 15);
  memset(w, -1, n * 4 + 2);
  assert(w[4] == -1 && (w[5] & 0xffff) == 0xffff);
  assert(strcmp("abc", "abd") < 0 && strcmp("abc", "ab") > 0 && !strcmp("", "") && strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0);
  assert(strcmp("\xff", "a") > 0);
  strcpy(buf, "hello");
  assert(!strcmp(buf, "hello") && buf[6] == 'x');
  n = 3;
  int *z = calloc(n, sizeof *z);
  assert(z[0] == 0 && z[2] == 0);
  z[1] = 5;
  free(z);
  char *k = calloc(n, 5);
  assert(k[14] == 0);
  free(k);
  long *big = calloc(100, sizeof(long));
  assert(big[99] == 0);
  free(big);
  memcpy(buf, "0123456", n);
  assert(buf[0] == '0' && buf[3] == 'l');
  return 0;
}
