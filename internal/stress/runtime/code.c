/* What the threads of a test in C are made of: accesses, one instruction each, and the
   arithmetic that C leaves open. Addresses are numbers; fp_check refuses an address outside
   the locations of the test. */
#include <sched.h>
static char *region, *region_end;
static void fault(int signal);

static inline int64_t fp_check(int64_t address, int64_t size) {
  uint64_t offset = (uint64_t)address - (uint64_t)region;
  if (offset > (uint64_t)(region_end - region) || (uint64_t)(region_end - region) - offset < (uint64_t)size)
    fault(0);
  return address;
}

typedef uint8_t __attribute__((may_alias)) u8;
typedef uint16_t __attribute__((may_alias, aligned(1))) u16;
typedef uint32_t __attribute__((may_alias, aligned(1))) u32;
typedef uint64_t __attribute__((may_alias, aligned(1))) u64;

static inline int64_t fp_load_8(int64_t a) { return *(volatile u8 *)a; }
static inline int64_t fp_load_16(int64_t a) { return *(volatile u16 *)a; }
static inline int64_t fp_load_32(int64_t a) { return *(volatile u32 *)a; }
static inline int64_t fp_load_64(int64_t a) { return *(volatile u64 *)a; }
static inline void fp_store_8(int64_t a, int64_t v) { *(volatile u8 *)a = v; }
static inline void fp_store_16(int64_t a, int64_t v) { *(volatile u16 *)a = v; }
static inline void fp_store_32(int64_t a, int64_t v) { *(volatile u32 *)a = v; }
static inline void fp_store_64(int64_t a, int64_t v) { *(volatile u64 *)a = v; }

static inline int64_t fp_xchg_8(int64_t a, int64_t v) { uint8_t x = v; __asm__ volatile("xchgb %0, %1" : "+q"(x), "+m"(*(volatile u8 *)a) : : "memory"); return x; }
static inline int64_t fp_xchg_16(int64_t a, int64_t v) { uint16_t x = v; __asm__ volatile("xchgw %0, %1" : "+r"(x), "+m"(*(volatile u16 *)a) : : "memory"); return x; }
static inline int64_t fp_xchg_32(int64_t a, int64_t v) { uint32_t x = v; __asm__ volatile("xchgl %0, %1" : "+r"(x), "+m"(*(volatile u32 *)a) : : "memory"); return x; }
static inline int64_t fp_xchg_64(int64_t a, int64_t v) { uint64_t x = v; __asm__ volatile("xchgq %0, %1" : "+r"(x), "+m"(*(volatile u64 *)a) : : "memory"); return x; }
static inline int64_t fp_add_8(int64_t a, int64_t v) { uint8_t x = v; __asm__ volatile("lock xaddb %0, %1" : "+q"(x), "+m"(*(volatile u8 *)a) : : "memory", "cc"); return x; }
static inline int64_t fp_add_16(int64_t a, int64_t v) { uint16_t x = v; __asm__ volatile("lock xaddw %0, %1" : "+r"(x), "+m"(*(volatile u16 *)a) : : "memory", "cc"); return x; }
static inline int64_t fp_add_32(int64_t a, int64_t v) { uint32_t x = v; __asm__ volatile("lock xaddl %0, %1" : "+r"(x), "+m"(*(volatile u32 *)a) : : "memory", "cc"); return x; }
static inline int64_t fp_add_64(int64_t a, int64_t v) { uint64_t x = v; __asm__ volatile("lock xaddq %0, %1" : "+r"(x), "+m"(*(volatile u64 *)a) : : "memory", "cc"); return x; }
static inline int64_t fp_cas_8(int64_t a, int64_t o, int64_t n) { uint8_t x = o, y = n; __asm__ volatile("lock cmpxchgb %2, %1" : "+a"(x), "+m"(*(volatile u8 *)a) : "q"(y) : "memory", "cc"); return x; }
static inline int64_t fp_cas_16(int64_t a, int64_t o, int64_t n) { uint16_t x = o, y = n; __asm__ volatile("lock cmpxchgw %2, %1" : "+a"(x), "+m"(*(volatile u16 *)a) : "r"(y) : "memory", "cc"); return x; }
static inline int64_t fp_cas_32(int64_t a, int64_t o, int64_t n) { uint32_t x = o, y = n; __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(x), "+m"(*(volatile u32 *)a) : "r"(y) : "memory", "cc"); return x; }
static inline int64_t fp_cas_64(int64_t a, int64_t o, int64_t n) { uint64_t x = o, y = n; __asm__ volatile("lock cmpxchgq %2, %1" : "+a"(x), "+m"(*(volatile u64 *)a) : "r"(y) : "memory", "cc"); return x; }

static inline void fp_full_fence(void) { __asm__ volatile("mfence" : : : "memory"); }
/* Whoever waits long gives the processor away. */
static void fp_wait(void) {
  static __thread unsigned spins;
  if (++spins % 1024 == 0)
    sched_yield();
  else
    __builtin_ia32_pause();
}
/* A thread that cannot go on. The round does not come to its end. */
static inline void fp_stuck(void) { for (;;) fp_wait(); }

static inline int64_t fp_div_s(int64_t x, int64_t y) { return y == 0 ? 0 : y == -1 ? (int64_t)-(uint64_t)x : x / y; }
static inline int64_t fp_div_u(uint64_t x, uint64_t y) { return y == 0 ? 0 : x / y; }
static inline int64_t fp_rem_s(int64_t x, int64_t y) { return y == 0 || y == -1 ? 0 : x % y; }
static inline int64_t fp_rem_u(uint64_t x, uint64_t y) { return y == 0 ? 0 : x % y; }

/* fp_block takes memory for an automatic variable from the stack of its thread. */
static inline int64_t fp_block(char **top, char *end, int64_t size, int64_t align) {
  uint64_t at = ((uint64_t)*top + align - 1) & -(uint64_t)align;
  if (at > (uint64_t)end || (uint64_t)end - at < (uint64_t)size)
    fault(0);
  *top = (char *)at + size;
  return at;
}
static inline void fp_leave(char **top, int64_t at) {
  if ((uint64_t)at < (uint64_t)*top)
    *top = (char *)at;
}
