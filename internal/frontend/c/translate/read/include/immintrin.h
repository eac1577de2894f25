#ifndef _FP_IMMINTRIN_H
#define _FP_IMMINTRIN_H
#include <mmintrin.h>
#include <emmintrin.h>
#include <nmmintrin.h>
#include <x86gprintrin.h>
typedef float __m256 __attribute__((__vector_size__(32), __may_alias__));
typedef double __m256d __attribute__((__vector_size__(32), __may_alias__));
typedef long long __m256i __attribute__((__vector_size__(32), __may_alias__));
typedef float __m512 __attribute__((__vector_size__(64), __may_alias__));
typedef double __m512d __attribute__((__vector_size__(64), __may_alias__));
typedef long long __m512i __attribute__((__vector_size__(64), __may_alias__));
__m256i _mm256_loadu_si256(const __m256i *);
__m256i _mm256_load_si256(const __m256i *);
void _mm256_storeu_si256(__m256i *, __m256i);
void _mm256_store_si256(__m256i *, __m256i);
__m512i _mm512_loadu_si512(const void *);
void _mm512_storeu_si512(void *, __m512i);
#endif
