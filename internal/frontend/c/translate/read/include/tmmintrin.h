#ifndef _FP_TMMINTRIN_H
#define _FP_TMMINTRIN_H
#include <emmintrin.h>
#endif
