#ifndef _FP_WMMINTRIN_H
#define _FP_WMMINTRIN_H
#include <emmintrin.h>
#endif
