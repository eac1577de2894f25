#ifndef _FP_MONETARY_H
#define _FP_MONETARY_H
#include <features.h>
#include <stddef.h>
typedef long ssize_t;
ssize_t strfmon(char *, size_t, const char *, ...);
#include <fencepost/locale_t.h>
ssize_t strfmon_l(char *, size_t, locale_t, const char *, ...);
#define __HAVE_FLOAT128 1
#define __HAVE_DISTINCT_FLOAT128 1
#define __HAVE_FLOAT64X 1
#define __HAVE_FLOAT64X_LONG_DOUBLE 1
#define __HAVE_FLOAT16 0
#define __HAVE_FLOAT32 1
#define __HAVE_FLOAT64 1
#define __HAVE_FLOAT32X 1
#define __HAVE_FLOAT128X 0
#define __HAVE_DISTINCT_FLOAT16 0
#define __HAVE_DISTINCT_FLOAT32 0
#define __HAVE_DISTINCT_FLOAT64 0
#define __HAVE_DISTINCT_FLOAT32X 0
#define __HAVE_DISTINCT_FLOAT64X 0
#define __HAVE_DISTINCT_FLOAT128X 0
#define __HAVE_FLOATN_NOT_TYPEDEF 1
#endif
