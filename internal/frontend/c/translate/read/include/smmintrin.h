#ifndef _FP_SMMINTRIN_H
#define _FP_SMMINTRIN_H
#include <tmmintrin.h>
static __inline __attribute__((__always_inline__, __unused__)) unsigned _mm_crc32_u8(unsigned c, unsigned char x) { return __builtin_ia32_crc32qi(c, x); }
static __inline __attribute__((__always_inline__, __unused__)) unsigned _mm_crc32_u16(unsigned c, unsigned short x) { return __builtin_ia32_crc32hi(c, x); }
static __inline __attribute__((__always_inline__, __unused__)) unsigned _mm_crc32_u32(unsigned c, unsigned x) { return __builtin_ia32_crc32si(c, x); }
static __inline __attribute__((__always_inline__, __unused__)) unsigned long long _mm_crc32_u64(unsigned long long c, unsigned long long x) { return __builtin_ia32_crc32di(c, x); }
#endif
