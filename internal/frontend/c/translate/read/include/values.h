#ifndef _FP_VALUES_H
#define _FP_VALUES_H
#include <features.h>
#include <limits.h>
#define _TYPEBITS(type) (sizeof (type) * CHAR_BIT)
#define CHARBITS _TYPEBITS (char)
#define SHORTBITS _TYPEBITS (short int)
#define INTBITS _TYPEBITS (int)
#define LONGBITS _TYPEBITS (long int)
#define PTRBITS _TYPEBITS (char *)
#define DOUBLEBITS _TYPEBITS (double)
#define FLOATBITS _TYPEBITS (float)
#define MINSHORT (-32768)
#define MININT (-2147483648)
#define MINLONG (-9223372036854775808L)
#define MAXSHORT 32767
#define MAXINT 2147483647
#define MAXLONG 9223372036854775807L
#define HIBITS (-32768)
#define HIBITL (-9223372036854775808L)
#include <float.h>
#define MAXDOUBLE DBL_MAX
#define MAXFLOAT FLT_MAX
#define MINDOUBLE DBL_MIN
#define MINFLOAT FLT_MIN
#define DMINEXP (-1021)
#define FMINEXP (-125)
#define DMAXEXP 1024
#define FMAXEXP 128
#define BITSPERBYTE 8
#endif
