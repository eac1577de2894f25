#ifndef _FP_LINUX_KREF_HEADER
#define _FP_LINUX_KREF_HEADER
#include <fencepost/linux.h>
#endif
