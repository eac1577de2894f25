#ifndef _FP_ICONV_H
#define _FP_ICONV_H
#include <features.h>
#include <stddef.h>
typedef void *iconv_t;
int iconv_close(iconv_t);
iconv_t iconv_open(const char *, const char *);
size_t iconv(iconv_t, char **, size_t *, char **, size_t *);
#endif
