#ifndef _FP_FENV_H
#define _FP_FENV_H
#include <features.h>
typedef unsigned short fexcept_t;
typedef struct { unsigned short __control, __unused1, __status, __unused2, __tags, __unused3; unsigned int __eip; unsigned short __cs, __opcode; unsigned int __offset; unsigned short __selector, __unused5; unsigned int __mxcsr; } fenv_t;
#define FE_DFL_ENV ((const fenv_t *)-1)
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 1024
#define FE_UPWARD 2048
#define FE_TOWARDZERO 3072
int feclearexcept(int);
int fegetexceptflag(fexcept_t *, int);
int feraiseexcept(int);
int fesetexceptflag(const fexcept_t *, int);
int fetestexcept(int);
int fegetround(void);
int fesetround(int);
int fegetenv(fenv_t *);
int feholdexcept(fenv_t *);
int fesetenv(const fenv_t *);
int feupdateenv(const fenv_t *);
#ifdef _GNU_SOURCE
int fesetexcept(int);
int fetestexceptflag(const fexcept_t *, int);
int feenableexcept(int);
int fedisableexcept(int);
int fegetexcept(void);
#endif
#endif
