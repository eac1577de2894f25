#ifndef _FP_LINUX_REFCOUNT_HEADER
#define _FP_LINUX_REFCOUNT_HEADER
#include <fencepost/linux.h>
#endif
