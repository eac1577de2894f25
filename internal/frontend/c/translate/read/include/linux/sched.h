#ifndef _FP_LINUX_SCHED_H
#define _FP_LINUX_SCHED_H
#include <sched.h>
#endif
