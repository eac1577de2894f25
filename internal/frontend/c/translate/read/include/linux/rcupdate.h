#ifndef _FP_LINUX_RCUPDATE_HEADER
#define _FP_LINUX_RCUPDATE_HEADER
#include <fencepost/linux.h>
#endif
