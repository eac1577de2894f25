#ifndef _FP_LINUX_LIST_HEADER
#define _FP_LINUX_LIST_HEADER
#include <fencepost/linux.h>
#endif
