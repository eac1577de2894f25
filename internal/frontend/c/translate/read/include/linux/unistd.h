#ifndef _FP_LINUX_UNISTD_H
#define _FP_LINUX_UNISTD_H
#include <asm/unistd.h>
#endif
