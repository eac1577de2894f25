#ifndef _FP_UTIME_H
#define _FP_UTIME_H
#include <features.h>
typedef long time_t;
struct utimbuf { long actime; long modtime; };
int utime(const char *, const struct utimbuf *);
#endif
