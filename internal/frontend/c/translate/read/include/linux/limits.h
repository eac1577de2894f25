#ifndef _FP_LINUX_LIMITS_H
#define _FP_LINUX_LIMITS_H
#include <limits.h>
#endif
