#ifndef _FP_LINUX_KTHREAD_HEADER
#define _FP_LINUX_KTHREAD_HEADER
#include <fencepost/linux.h>
#endif
