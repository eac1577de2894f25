#ifndef _FP_LINUX_INIT_HEADER
#define _FP_LINUX_INIT_HEADER
#include <fencepost/linux.h>
#endif
