#ifndef _FP_MMINTRIN_H
#define _FP_MMINTRIN_H
typedef int __m64 __attribute__((__vector_size__(8), __may_alias__));
#endif
