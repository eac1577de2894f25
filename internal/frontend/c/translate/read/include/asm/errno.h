#ifndef _FP_ASM_ERRNO_H
#define _FP_ASM_ERRNO_H
#include <features.h>
#include <asm-generic/errno.h>
#endif
