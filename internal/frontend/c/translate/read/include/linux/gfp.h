#ifndef _FP_LINUX_GFP_HEADER
#define _FP_LINUX_GFP_HEADER
#include <fencepost/linux.h>
#endif
