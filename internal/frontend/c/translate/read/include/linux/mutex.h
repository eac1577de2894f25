#ifndef _FP_LINUX_MUTEX_HEADER
#define _FP_LINUX_MUTEX_HEADER
#include <fencepost/linux.h>
#endif
