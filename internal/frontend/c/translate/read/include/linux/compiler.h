#ifndef _FP_LINUX_COMPILER_HEADER
#define _FP_LINUX_COMPILER_HEADER
#include <fencepost/linux.h>
#endif
