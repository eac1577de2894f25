#ifndef _FP_X86GPRINTRIN_H
#define _FP_X86GPRINTRIN_H
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __rdtsc(void) { return __builtin_ia32_rdtsc(); }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __rdtscp(unsigned *p) { return __builtin_ia32_rdtscp(p); }
#define _rdtsc() __rdtsc()
#define _rdtscp(p) __rdtscp(p)
static __inline __attribute__((__always_inline__, __unused__)) int __bsfd(int x) { return __builtin_ctz(x); }
static __inline __attribute__((__always_inline__, __unused__)) int __bsrd(int x) { return __builtin_clz(x) ^ 31; }
static __inline __attribute__((__always_inline__, __unused__)) int __bsfq(long long x) { return __builtin_ctzll(x); }
static __inline __attribute__((__always_inline__, __unused__)) int __bsrq(long long x) { return __builtin_clzll(x) ^ 63; }
static __inline __attribute__((__always_inline__, __unused__)) int __bswapd(int x) { return (int)__builtin_bswap32((unsigned)x); }
static __inline __attribute__((__always_inline__, __unused__)) long long __bswapq(long long x) { return (long long)__builtin_bswap64((unsigned long long)x); }
static __inline __attribute__((__always_inline__, __unused__)) int __popcntd(unsigned x) { return __builtin_popcount(x); }
static __inline __attribute__((__always_inline__, __unused__)) int __popcntq(unsigned long long x) { return __builtin_popcountll(x); }
#define _bit_scan_forward(x) __bsfd(x)
#define _bit_scan_reverse(x) __bsrd(x)
#define _bswap(x) __bswapd(x)
#define _bswap64(x) __bswapq(x)
#define _popcnt32(x) __popcntd((unsigned)(x))
#define _popcnt64(x) __popcntq((unsigned long long)(x))
static __inline __attribute__((__always_inline__, __unused__)) int _mm_popcnt_u32(unsigned x) { return __builtin_popcount(x); }
static __inline __attribute__((__always_inline__, __unused__)) long long _mm_popcnt_u64(unsigned long long x) { return __builtin_popcountll(x); }
static __inline __attribute__((__always_inline__, __unused__)) unsigned __tzcnt_u32(unsigned x) { return x ? (unsigned)__builtin_ctz(x) : 32; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __tzcnt_u64(unsigned long long x) { return x ? (unsigned long long)__builtin_ctzll(x) : 64; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned __lzcnt32(unsigned x) { return x ? (unsigned)__builtin_clz(x) : 32; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __lzcnt64(unsigned long long x) { return x ? (unsigned long long)__builtin_clzll(x) : 64; }
#define _tzcnt_u32(x) __tzcnt_u32(x)
#define _tzcnt_u64(x) __tzcnt_u64(x)
#define _lzcnt_u32(x) __lzcnt32(x)
#define _lzcnt_u64(x) __lzcnt64(x)
static __inline __attribute__((__always_inline__, __unused__)) unsigned __rold(unsigned x, int n) { n &= 31; return n ? x << n | x >> (32 - n) : x; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned __rord(unsigned x, int n) { n &= 31; return n ? x >> n | x << (32 - n) : x; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __rolq(unsigned long long x, int n) { n &= 63; return n ? x << n | x >> (64 - n) : x; }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long __rorq(unsigned long long x, int n) { n &= 63; return n ? x >> n | x << (64 - n) : x; }
#define _rotl(x, n) __rold(x, n)
#define _rotr(x, n) __rord(x, n)
#define _lrotl(x, n) __rolq(x, n)
#define _lrotr(x, n) __rorq(x, n)
#define _XBEGIN_STARTED (~0u)
#define _XABORT_EXPLICIT (1 << 0)
#define _XABORT_RETRY (1 << 1)
#define _XABORT_CONFLICT (1 << 2)
#define _XABORT_CAPACITY (1 << 3)
#define _XABORT_DEBUG (1 << 4)
#define _XABORT_NESTED (1 << 5)
#define _XABORT_CODE(x) (((x) >> 24) & 0xff)
unsigned _xbegin(void);
void _xend(void);
void _xabort(const unsigned);
int _xtest(void);
unsigned _mm_crc32_u8(unsigned, unsigned char);
unsigned _mm_crc32_u16(unsigned, unsigned short);
unsigned _mm_crc32_u32(unsigned, unsigned);
unsigned long long _mm_crc32_u64(unsigned long long, unsigned long long);
int _rdrand16_step(unsigned short *);
int _rdrand32_step(unsigned *);
int _rdrand64_step(unsigned long long *);
int _rdseed32_step(unsigned *);
int _rdseed64_step(unsigned long long *);
void _mm_clflushopt(void *);
void _mm_clwb(void *);
void _mm_mwaitx(unsigned, unsigned, unsigned);
void _mm_monitorx(const void *, unsigned, unsigned);
void _umonitor(void *);
unsigned char _umwait(unsigned, unsigned long long);
unsigned char _tpause(unsigned, unsigned long long);
#endif
