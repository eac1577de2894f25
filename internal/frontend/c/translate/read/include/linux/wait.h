#ifndef _FP_LINUX_WAIT_HEADER
#define _FP_LINUX_WAIT_HEADER
#include <fencepost/linux.h>
#endif
