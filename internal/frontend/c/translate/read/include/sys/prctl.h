#ifndef _FP_SYS_PRCTL_H
#define _FP_SYS_PRCTL_H
#include <linux/prctl.h>
int prctl(int, ...);
#endif
