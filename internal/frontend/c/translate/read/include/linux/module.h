#ifndef _FP_LINUX_MODULE_HEADER
#define _FP_LINUX_MODULE_HEADER
#include <fencepost/linux.h>
#endif
