#ifndef _FP_PMMINTRIN_H
#define _FP_PMMINTRIN_H
#include <emmintrin.h>
#endif
