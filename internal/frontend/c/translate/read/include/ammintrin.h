#ifndef _FP_AMMINTRIN_H
#define _FP_AMMINTRIN_H
#include <emmintrin.h>
#endif
