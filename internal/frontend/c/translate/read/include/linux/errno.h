#ifndef _FP_LINUX_ERRNO_H
#define _FP_LINUX_ERRNO_H
#include <features.h>
#include <asm/errno.h>
#endif
