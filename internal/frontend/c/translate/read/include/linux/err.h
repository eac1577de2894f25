#ifndef _FP_LINUX_ERR_HEADER
#define _FP_LINUX_ERR_HEADER
#include <fencepost/linux.h>
#endif
