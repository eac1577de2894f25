#ifndef _FP_LINUX_ATOMIC_HEADER
#define _FP_LINUX_ATOMIC_HEADER
#include <fencepost/linux.h>
#endif
