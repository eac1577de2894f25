#ifndef _FP_LINUX_KERNEL_HEADER
#define _FP_LINUX_KERNEL_HEADER
#include <fencepost/linux.h>
#endif
