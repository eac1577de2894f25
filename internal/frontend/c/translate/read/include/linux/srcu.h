#ifndef _FP_LINUX_SRCU_HEADER
#define _FP_LINUX_SRCU_HEADER
#include <fencepost/linux.h>
#endif
