#ifndef _FP_LINUX_COMPLETION_HEADER
#define _FP_LINUX_COMPLETION_HEADER
#include <fencepost/linux.h>
#endif
