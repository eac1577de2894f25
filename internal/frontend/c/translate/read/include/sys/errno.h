#ifndef _FP_SYS_ERRNO_H
#define _FP_SYS_ERRNO_H
#include <errno.h>
#endif
