// Locked instructions, one thread: what they compute.
#include <assert.h>
int x; long l; unsigned char c8;
static inline int xadd(int *p, int v) { __asm__ __volatile__("lock; xaddl %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc"); return v; }
static inline int cmpxchg(int *p, int o, int n) { int prev; asm volatile("lock; cmpxchgl %1,%2" : "=a"(prev) : "r"(n), "m"(*p), "0"(o) : "memory"); return prev; }
static inline int xchg(int *p, int v) { asm volatile("xchgl %0,%1" : "=r"(v) : "m"(*p), "0"(v) : "memory"); return v; }
static inline int dec_test(int *p) { unsigned char c; asm volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(c) : : "memory"); return c != 0; }
static inline _Bool cas(int *p, int o, int n) { _Bool r; asm volatile("lock\n\tcmpxchgl %3,%1\n\tsete %0" : "=q"(r), "+m"(*p), "+a"(o) : "r"(n) : "memory"); return r; }
int main(void) {
  assert(xadd(&x, 3) == 0);
  assert(x == 3);
  assert(xadd(&x, -1) == 3);
  assert(x == 2);
  assert(cmpxchg(&x, 1, 7) == 2);
  assert(x == 2);
  assert(cmpxchg(&x, 2, 7) == 2);
  assert(x == 7);
  assert(xchg(&x, 2) == 7);
  assert(!dec_test(&x));
  assert(dec_test(&x));
  assert(x == 0);
  assert(cas(&x, 0, 5));
  assert(!cas(&x, 0, 6));
  assert(x == 5);
  asm volatile("lock; addl $0,0(%%rsp)" ::: "memory");
  asm volatile("lock; orq %1,%0" : "+m"(l) : "er"(256L));
  assert(l == 256);
  asm volatile("lock; notb %0" : "+m"(c8));
  assert(c8 == 255);
  int y;
  asm("movl %1, %[out]" : [out] "=r"(y) : "m"(x));
  assert(y == 5);
  asm volatile("" : "+r"(y) :: "memory");
  assert(y == 5);
  int z = 4;
  asm volatile("lock; incl %0" : "+m"(z));
  assert(z == 5);
  return 0;
}
