#ifndef _FP_LINUX_CONTAINER_OF_HEADER
#define _FP_LINUX_CONTAINER_OF_HEADER
#include <fencepost/linux.h>
#endif
