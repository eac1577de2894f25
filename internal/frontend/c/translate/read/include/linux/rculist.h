#ifndef _FP_LINUX_RCULIST_HEADER
#define _FP_LINUX_RCULIST_HEADER
#include <fencepost/linux.h>
#endif
