#ifndef _FP_LINUX_RWLOCK_HEADER
#define _FP_LINUX_RWLOCK_HEADER
#include <fencepost/linux.h>
#endif
