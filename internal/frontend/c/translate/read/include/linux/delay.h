#ifndef _FP_LINUX_DELAY_HEADER
#define _FP_LINUX_DELAY_HEADER
#include <fencepost/linux.h>
#endif
