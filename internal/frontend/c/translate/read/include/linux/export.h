#ifndef _FP_LINUX_EXPORT_HEADER
#define _FP_LINUX_EXPORT_HEADER
#include <fencepost/linux.h>
#endif
