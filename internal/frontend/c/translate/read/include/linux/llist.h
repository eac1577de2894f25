#ifndef _FP_LINUX_LLIST_HEADER
#define _FP_LINUX_LLIST_HEADER
#include <fencepost/linux.h>
#endif
