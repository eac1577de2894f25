#ifndef _FP_ERROR_H
#define _FP_ERROR_H
#include <features.h>
void error(int, int, const char *, ...);
void error_at_line(int, int, const char *, unsigned int, const char *, ...);
void (*error_print_progname) (void);
extern unsigned int error_message_count;
extern int error_one_per_line;
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
void __error_alias(int, int, const char *, ...);
void __error_noreturn(int, int, const char *, ...);
void __error_at_line_alias(int, int, const char *, unsigned int, const char *, ...);
void __error_at_line_noreturn(int, int, const char *, unsigned int, const char *, ...);
#endif
