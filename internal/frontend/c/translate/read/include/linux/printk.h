#ifndef _FP_LINUX_PRINTK_HEADER
#define _FP_LINUX_PRINTK_HEADER
#include <fencepost/linux.h>
#endif
