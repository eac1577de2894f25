#ifndef _FP_LINUX_SEMAPHORE_HEADER
#define _FP_LINUX_SEMAPHORE_HEADER
#include <fencepost/linux.h>
#endif
