#ifndef _FP_LINUX_SLAB_HEADER
#define _FP_LINUX_SLAB_HEADER
#include <fencepost/linux.h>
#endif
