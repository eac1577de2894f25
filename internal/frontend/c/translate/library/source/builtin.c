/* The builtins of compilers that count bits, without loops. What has no value for 0
   is an error there. */
void __fp_assert(int, const char *);

int __builtin_popcountll(unsigned long long x) {
  x = x - (x >> 1 & 0x5555555555555555ull);
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = x + (x >> 4) & 0x0f0f0f0f0f0f0f0full;
  return (int)(x * 0x0101010101010101ull >> 56);
}

int __builtin_popcountl(unsigned long x) {
  return __builtin_popcountll(x);
}

int __builtin_popcount(unsigned x) {
  return __builtin_popcountll(x);
}

int __builtin_parityll(unsigned long long x) {
  return __builtin_popcountll(x) & 1;
}

int __builtin_parityl(unsigned long x) {
  return __builtin_popcountll(x) & 1;
}

int __builtin_parity(unsigned x) {
  return __builtin_popcountll(x) & 1;
}

int __builtin_ctzll(unsigned long long x) {
  __fp_assert(x != 0, "the number of trailing zeros of 0 has no value");
  return __builtin_popcountll((x & -x) - 1);
}

int __builtin_ctzl(unsigned long x) {
  return __builtin_ctzll(x);
}

int __builtin_ctz(unsigned x) {
  return __builtin_ctzll(x);
}

int __builtin_clzll(unsigned long long x) {
  __fp_assert(x != 0, "the number of leading zeros of 0 has no value");
  x |= x >> 1;
  x |= x >> 2;
  x |= x >> 4;
  x |= x >> 8;
  x |= x >> 16;
  x |= x >> 32;
  return 64 - __builtin_popcountll(x);
}

int __builtin_clzl(unsigned long x) {
  return __builtin_clzll(x);
}

int __builtin_clz(unsigned x) {
  return __builtin_clzll(x) - 32;
}

int __builtin_ffsll(long long x) {
  return x ? __builtin_ctzll(x) + 1 : 0;
}

int __builtin_ffsl(long x) {
  return __builtin_ffsll(x);
}

int __builtin_ffs(int x) {
  return __builtin_ffsll(x);
}

int ffs(int x) {
  return __builtin_ffsll(x);
}

int ffsl(long x) {
  return __builtin_ffsll(x);
}

int ffsll(long long x) {
  return __builtin_ffsll(x);
}

int __builtin_clrsbll(long long x) {
  unsigned long long y = x < 0 ? ~x : x;
  return y ? __builtin_clzll(y) - 1 : 63;
}

int __builtin_clrsbl(long x) {
  return __builtin_clrsbll(x);
}

int __builtin_clrsb(int x) {
  return __builtin_clrsbll(x) - 32;
}

unsigned long __builtin_bswap64(unsigned long x) {
  x = (x & 0x00ff00ff00ff00fful) << 8 | (x >> 8 & 0x00ff00ff00ff00fful);
  x = (x & 0x0000ffff0000fffful) << 16 | (x >> 16 & 0x0000ffff0000fffful);
  return x << 32 | x >> 32;
}

unsigned __builtin_bswap32(unsigned x) {
  return x << 24 | (x & 0xff00u) << 8 | (x >> 8 & 0xff00u) | x >> 24;
}

unsigned short __builtin_bswap16(unsigned short x) {
  return x << 8 | x >> 8;
}

int __builtin_abs(int x) {
  return x < 0 ? -x : x;
}

long __builtin_labs(long x) {
  return x < 0 ? -x : x;
}

long long __builtin_llabs(long long x) {
  return x < 0 ? -x : x;
}
