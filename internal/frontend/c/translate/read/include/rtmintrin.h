#ifndef _FP_RTMINTRIN_H
#define _FP_RTMINTRIN_H
#include <x86gprintrin.h>
#endif
