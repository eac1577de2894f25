// Instructions of x86 on integers, one thread: what they compute.
#include <assert.h>
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

static void shifts(void) {
  u32 v = 0x80000001; u64 w = 0x8000000000000001ul; u8 b = 0x81; u16 h = 0x8001; u8 c;
  asm("shll %%cl, %0; setc %1" : "+r"(v), "=q"(c) : "c"(4));
  assert(v == 0x10 && c == 0);
  asm("shrl %%cl, %0; setc %1" : "+r"(v), "=q"(c) : "c"(5));
  assert(v == 0 && c == 1);
  v = 0x80000001;
  asm("sarl %%cl, %0; setc %1" : "+r"(v), "=q"(c) : "c"(33));
  assert(v == 0xc0000000 && c == 1);
  asm("shlq %b2, %0; setz %1" : "+r"(w), "=q"(c) : "c"(63ul));
  assert(w == 0x8000000000000000ul && c == 0);
  asm("rolb %%cl, %0" : "+q"(b) : "c"(9));
  assert(b == 0x03);
  asm("rorw %%cl, %0; setc %1" : "+r"(h), "=q"(c) : "c"(1));
  assert(h == 0xc000 && c == 1);
  asm("roll $8, %0" : "+r"(v));
  assert(v == 0xc0);
  asm("shlb %%cl, %0; setc %1" : "+q"(b), "=q"(c) : "c"(8));
  assert(b == 0 && c == 1);
  b = 3;
  asm("shlb %%cl, %0" : "+q"(b) : "c"(20));
  assert(b == 0);
  v = 5;
  asm("shl %0" : "+r"(v));
  assert(v == 10);
  u32 hi = 0x12345678;
  asm("shldl %%cl, %2, %0; shrdl $8, %2, %1" : "+r"(hi), "+r"(v) : "r"(0xabcdef01u), "c"(8));
  assert(hi == 0x345678ab && v == 0x01000000);
  c = 9;
  asm("cmpl $0, %1; shll %%cl, %1; setz %0" : "=q"(c), "+r"(hi) : "c"(0)); // the flags stay
  assert(c == 0 && hi == 0x345678ab);
}

static void products(void) {
  u64 lo, hi;
  asm("mulq %3" : "=a"(lo), "=d"(hi) : "a"(0xfffffffffffffffful), "r"(0xfffffffffffffffful) : "cc");
  assert(lo == 1 && hi == 0xfffffffffffffffeul);
  asm("imulq %3" : "=a"(lo), "=d"(hi) : "a"(-3l), "r"(5l) : "cc");
  assert((long)lo == -15 && hi == ~0ul);
  u32 a, d; u8 c;
  asm("mull %4; setc %2" : "=a"(a), "=d"(d), "=q"(c) : "a"(0x10000u), "r"(0x30000u));
  assert(a == 0 && d == 3 && c == 1);
  asm("imull $7, %1, %0" : "=r"(a) : "r"(6));
  assert(a == 42);
  u16 ax;
  asm("mulb %2" : "=a"(ax) : "a"(200), "q"((u8)100));
  assert(ax == 20000);
  asm("divl %4" : "=a"(a), "=d"(d) : "a"(7u), "d"(1u), "r"(10u));
  assert(a == 429496730u && d == 3);
  asm("cltd; idivl %4" : "=a"(a), "=d"(d) : "a"(-7), "d"(0), "r"(2));
  assert((int)a == -3 && (int)d == -1);
  asm("divq %4" : "=a"(lo), "=d"(hi) : "a"(100ul), "d"(0ul), "r"(7ul));
  assert(lo == 14 && hi == 2);
  asm("cqto; idivq %4" : "=a"(lo), "=d"(hi) : "a"(-100l), "d"(0ul), "r"(7l));
  assert((long)lo == -14 && (long)hi == -2);
  asm("divb %2" : "=a"(ax) : "a"((u16)1003), "q"((u8)10));
  assert((ax & 255) == 100 && ax >> 8 == 3);
}

static void bits(void) {
  u32 r; u64 w; u8 z;
  asm("bsfl %1, %0" : "=r"(r) : "r"(0x50u));
  assert(r == 4);
  asm("bsrq %1, %0" : "=r"(w) : "r"(0x50ul));
  assert(w == 6);
  r = 77;
  asm("bsfl %2, %0; setz %1" : "+r"(r), "=q"(z) : "r"(0u));
  assert(r == 77 && z == 1);
  asm("popcntq %1, %0" : "=r"(w) : "r"(0xf00000000000000ful));
  assert(w == 8);
  asm("xorl %0, %0; bsrl %1, %0" : "=&r"(r) : "r"(1u));
  assert(r == 0);
}

static void others(void) {
  u32 v = 5; u8 c;
  long x = -5; int i = -1;
  asm("movsx %b1, %0" : "=r"(i) : "q"(0x80));
  assert(i == -128);
  asm("movzx %w1, %0" : "=r"(v) : "r"(0x18001));
  assert(v == 0x8001);
  asm("movslq %1, %0" : "=r"(x) : "r"(-9));
  assert(x == -9);
  asm("cltq" : "=a"(x) : "a"(-4));
  assert(x == -4);
  asm("stc; setc %0" : "=q"(c));
  assert(c == 1);
  asm("stc; cmc; adcl $1, %0" : "+r"(v));
  assert(v == 0x8002);
  asm("push %1; movq $3, %0; pop %0" : "=&r"(x) : "r"(12l));
  assert(x == 12);
  u64 m = 0x0102030405060708ul;
  char from[5] = "abcd", to[5] = "";
  void *s = from, *d = to; long n = 5;
  asm volatile("cld; rep; movsb" : "+S"(s), "+D"(d), "+c"(n) : : "memory");
  assert(n == 0 && to[3] == 'd' && d == to + 5);
  d = &m; n = 1;
  asm volatile("rep stosl" : "+D"(d), "+c"(n) : "a"(7) : "memory");
  assert(m == 0x0102030400000007ul);
  register long ten __asm__("r10") = 4;
  asm("leaq 1(%%r10), %0" : "=r"(x) : "r"(ten));
  assert(x == 5);
}

static int where(int *p, int v) {
  asm goto("lock; addl %1, %0\n\tjs %l[negative]\n\tjz %l3" : : "m"(*p), "r"(v) : "memory", "cc" : negative, zero);
  return 1;
negative:
  return -1;
zero:
  return 0;
}

static int found(int *p) {
  int r;
  asm goto("movl %1, %0; testl %0, %0; jne %l2" : "=r"(r) : "m"(*p) : "cc" : some);
  return -1;
some:
  return r;
}

int main(void) {
  int x = 3;
  shifts();
  products();
  bits();
  others();
  assert(where(&x, 1) == 1 && where(&x, -4) == 0 && found(&x) == -1 && where(&x, -1) == -1 && found(&x) == -1);
  x = 9;
  assert(found(&x) == 9);
  return 0;
}
