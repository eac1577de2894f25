#ifndef _FP_ASM_UNISTD_H
#define _FP_ASM_UNISTD_H
#include <asm/unistd_64.h>
#endif
