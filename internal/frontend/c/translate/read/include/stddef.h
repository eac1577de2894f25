#ifndef _FP_STDDEF_H
#define _FP_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
typedef struct { long long __max_align_ll __attribute__((__aligned__(8))); long double __max_align_ld __attribute__((__aligned__(16))); } max_align_t;
#define NULL ((void *)0)
#define offsetof(t, m) __builtin_offsetof(t, m)
#if __STDC_VERSION__ >= 202000L
typedef typeof(nullptr) nullptr_t;
#define unreachable() __builtin_unreachable()
#endif
#endif
