#ifndef _FP_LINUX_SPINLOCK_HEADER
#define _FP_LINUX_SPINLOCK_HEADER
#include <fencepost/linux.h>
#endif
