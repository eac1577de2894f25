#ifndef _FP_LINUX_BUG_HEADER
#define _FP_LINUX_BUG_HEADER
#include <fencepost/linux.h>
#endif
