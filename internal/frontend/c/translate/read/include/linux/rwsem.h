#ifndef _FP_LINUX_RWSEM_HEADER
#define _FP_LINUX_RWSEM_HEADER
#include <fencepost/linux.h>
#endif
