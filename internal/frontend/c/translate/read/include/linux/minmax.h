#ifndef _FP_LINUX_MINMAX_HEADER
#define _FP_LINUX_MINMAX_HEADER
#include <fencepost/linux.h>
#endif
