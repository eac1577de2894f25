#ifndef _FP_GNU_LIBC_VERSION_H
#define _FP_GNU_LIBC_VERSION_H
#include <features.h>
extern const char *gnu_get_libc_release(void);
extern const char *gnu_get_libc_version(void);
#endif
