#ifndef _FP_NMMINTRIN_H
#define _FP_NMMINTRIN_H
#include <smmintrin.h>
#endif
