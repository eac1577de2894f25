#ifndef _FP_XMMINTRIN_H
#define _FP_XMMINTRIN_H
#include <stddef.h>
typedef float __m128 __attribute__((__vector_size__(16), __may_alias__));
enum _mm_hint { _MM_HINT_ET0 = 7, _MM_HINT_ET1 = 6, _MM_HINT_T0 = 3, _MM_HINT_T1 = 2, _MM_HINT_T2 = 1, _MM_HINT_NTA = 0 };
#define _mm_prefetch(p, hint) __builtin_prefetch(p)
static __inline __attribute__((__always_inline__, __unused__)) void _mm_pause(void) { __builtin_ia32_pause(); }
static __inline __attribute__((__always_inline__, __unused__)) void _mm_sfence(void) { __builtin_ia32_sfence(); }
void *_mm_malloc(size_t, size_t);
void _mm_free(void *);
#endif
