#ifndef _FP_LINUX_SEQLOCK_HEADER
#define _FP_LINUX_SEQLOCK_HEADER
#include <fencepost/linux.h>
#endif
