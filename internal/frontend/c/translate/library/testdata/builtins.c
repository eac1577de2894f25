/* The builtins of compilers that compute something, and what of string.h came last. */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

struct pair {
  int a;
  char b;
};

#define max(x, y) ({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); _x > _y ? _x : _y; })
#define must_be_array(a) (!__builtin_types_compatible_p(__typeof__(a), __typeof__(&(a)[0])))

static void bits(unsigned u, unsigned long long w) {
  assert(__builtin_clz(u) == 26 && __builtin_ctz(u) == 3 && __builtin_popcount(u) == 2 && __builtin_parity(u) == 0);
  assert(__builtin_clz(1) == 31 && __builtin_clz(UINT_MAX) == 0 && __builtin_ctz(1u << 31) == 31);
  assert(__builtin_clzl(u) == 58 && __builtin_clzll(w) == 23 && __builtin_clzll(~0ull) == 0);
  assert(__builtin_ctzl(8) == 3 && __builtin_ctzll(w) == 40 && __builtin_ctzll(1ull << 63) == 63);
  assert(__builtin_popcountl(7) == 3 && __builtin_popcountll(w) == 1 && __builtin_popcountll(~0ull) == 64 && __builtin_popcount(0) == 0);
  assert(__builtin_parityl(7) == 1 && __builtin_parityll(w | 1) == 0);
  assert(__builtin_ffs(0) == 0 && __builtin_ffs(40) == 4 && __builtin_ffs(INT_MIN) == 32 && __builtin_ffsl(1) == 1 && __builtin_ffsll(w) == 41);
  assert(ffs(-1) == 1 && ffsl(2) == 2 && ffsll(1ll << 62) == 63);
  assert(__builtin_clrsb(0) == 31 && __builtin_clrsb(-1) == 31 && __builtin_clrsb(1) == 30 && __builtin_clrsbl(INT_MIN) == 32);
  assert(__builtin_bswap16(0x1122) == 0x2211 && __builtin_bswap32(0x11223344) == 0x44332211);
  assert(__builtin_bswap64(0x0102030405060708) == 0x0807060504030201);
  assert(__builtin_abs(-3) == 3 && __builtin_labs(-4) == 4 && __builtin_llabs(5) == 5);
}

static void overflow(int one, long big, unsigned long all) {
  int i;
  unsigned u;
  short s;
  unsigned char c;
  long l;
  unsigned long w;
  assert(__builtin_add_overflow(INT_MAX, one, &i) && i == INT_MIN);
  assert(!__builtin_sub_overflow(5, one + 2, &i) && i == 2);
  assert(__builtin_sub_overflow(one, 2, &u) && u == UINT_MAX && !__builtin_sub_overflow(one, 2, &i) && i == -1);
  assert(__builtin_mul_overflow(0x10000 * one, 0x10000, &i) && i == 0 && !__builtin_mul_overflow(0x10000 * one, 0x10000, &l) && l == 0x100000000);
  assert(__builtin_mul_overflow(UINT_MAX, UINT_MAX, &l) && !__builtin_mul_overflow(UINT_MAX, UINT_MAX, &w) && w == 0xfffffffe00000001);
  assert(__builtin_add_overflow(32767, one, &s) && s == -32768 && __builtin_add_overflow(255, one, &c) && c == 0);
  assert(!__builtin_add_overflow(254, one, &c) && c == 255 && __builtin_sub_overflow(0, one, &c) && c == 255);
  assert(__builtin_add_overflow(big, 1, &l) && l == LONG_MIN && !__builtin_add_overflow(big, -1l, &l) && l == LONG_MAX - 1);
  assert(__builtin_sub_overflow(-2l, big, &l) && !__builtin_sub_overflow(-1l, big, &l) && l == LONG_MIN);
  assert(__builtin_mul_overflow(big, 2l, &l) && !__builtin_mul_overflow(big, 0l, &l) && l == 0 && !__builtin_mul_overflow(0l, big, &l));
  assert(__builtin_mul_overflow(-1l, LONG_MIN, &l) && __builtin_mul_overflow(LONG_MIN, -1l, &l) && !__builtin_mul_overflow(big, -1l, &l));
  assert(__builtin_add_overflow(all, 1u, &w) && w == 0 && !__builtin_add_overflow(all, 0u, &w));
  assert(__builtin_sub_overflow(1ul, all, &w) && !__builtin_sub_overflow(all, 1ul, &w) && w == ULONG_MAX - 1);
  assert(__builtin_mul_overflow(all, 2ul, &w) && !__builtin_mul_overflow(all, 1ul, &w) && w == ULONG_MAX);
  assert(__builtin_sadd_overflow(INT_MAX, one, &i) && __builtin_uadd_overflow(UINT_MAX, one, &u) && !__builtin_smull_overflow(2, 3, &l) && l == 6);
}

int main(void) {
  char buf[16] = "a,b", *p = buf;
  int array[4];
  bits(40, 1ull << 40);
  overflow(1, LONG_MAX, ULONG_MAX);
  assert(max(3, 4) == 4 && __builtin_choose_expr(sizeof(int) == 4, 5, "x") == 5);
  assert(__builtin_types_compatible_p(int, __typeof__(array[0])) && !__builtin_types_compatible_p(int, long));
  assert(must_be_array(array) && !must_be_array(p));
  assert(__builtin_offsetof(struct pair, b) == 4 && __builtin_constant_p(5) == 1);
  __builtin_prefetch(array);
  __builtin_prefetch(array, 1, 3);
  if (__builtin_expect(p != buf, 0) || __builtin_expect_with_probability(p == NULL, 0, 0.9))
    __builtin_unreachable();
  if (!p)
    __builtin_trap();
  assert(strcmp(strsep(&p, ","), "a") == 0 && strcmp(p, "b") == 0 && strsep(&p, ",") == buf + 2 && !p && !strsep(&p, ","));
  __builtin_memcpy(buf, "hello", 6);
  assert(__builtin_strlen(buf) == 5 && __builtin_strcmp(buf, "hello") == 0 && __builtin_memcmp(buf, "help", 3) == 0);
  __builtin_memset(buf, 'x', 2);
  assert(strcoll(buf, "xxllo") == 0 && strcoll(buf, "y") < 0);
  bzero(buf, 3);
  assert(!buf[0] && !buf[2] && buf[3] == 'l' && __builtin_assume_aligned(buf, 1) == buf);
  return 0;
}
