#ifndef _FP_POPCNTINTRIN_H
#define _FP_POPCNTINTRIN_H
#include <x86gprintrin.h>
#endif
