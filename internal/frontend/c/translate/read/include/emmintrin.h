#ifndef _FP_EMMINTRIN_H
#define _FP_EMMINTRIN_H
#include <xmmintrin.h>
typedef double __m128d __attribute__((__vector_size__(16), __may_alias__));
typedef long long __m128i __attribute__((__vector_size__(16), __may_alias__));
static __inline __attribute__((__always_inline__, __unused__)) void _mm_lfence(void) { __builtin_ia32_lfence(); }
static __inline __attribute__((__always_inline__, __unused__)) void _mm_mfence(void) { __builtin_ia32_mfence(); }
static __inline __attribute__((__always_inline__, __unused__)) void _mm_clflush(const void *p) { __builtin_ia32_clflush(p); }
__m128i _mm_load_si128(const __m128i *);
__m128i _mm_loadu_si128(const __m128i *);
void _mm_store_si128(__m128i *, __m128i);
void _mm_storeu_si128(__m128i *, __m128i);
void _mm_stream_si32(int *, int);
void _mm_stream_si64(long long *, long long);
void _mm_stream_si128(__m128i *, __m128i);
__m128i _mm_setzero_si128(void);
__m128i _mm_set1_epi8(char);
__m128i _mm_set1_epi16(short);
__m128i _mm_set1_epi32(int);
__m128i _mm_set1_epi64x(long long);
__m128i _mm_set_epi64x(long long, long long);
__m128i _mm_cmpeq_epi8(__m128i, __m128i);
__m128i _mm_cmpeq_epi16(__m128i, __m128i);
__m128i _mm_cmpeq_epi32(__m128i, __m128i);
int _mm_movemask_epi8(__m128i);
int _mm_cvtsi128_si32(__m128i);
long long _mm_cvtsi128_si64(__m128i);
__m128i _mm_cvtsi32_si128(int);
__m128i _mm_cvtsi64_si128(long long);
__m128i _mm_and_si128(__m128i, __m128i);
__m128i _mm_or_si128(__m128i, __m128i);
__m128i _mm_xor_si128(__m128i, __m128i);
__m128i _mm_andnot_si128(__m128i, __m128i);
__m128i _mm_add_epi8(__m128i, __m128i);
__m128i _mm_add_epi16(__m128i, __m128i);
__m128i _mm_add_epi32(__m128i, __m128i);
__m128i _mm_add_epi64(__m128i, __m128i);
__m128i _mm_sub_epi32(__m128i, __m128i);
__m128i _mm_sub_epi64(__m128i, __m128i);
#endif
