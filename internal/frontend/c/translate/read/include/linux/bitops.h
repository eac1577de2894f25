#ifndef _FP_LINUX_BITOPS_HEADER
#define _FP_LINUX_BITOPS_HEADER
#include <fencepost/linux.h>
#endif
