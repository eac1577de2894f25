#ifndef _FP_LINUX_TIME_TYPES_H
#define _FP_LINUX_TIME_TYPES_H
#include <features.h>
#include <linux/types.h>
struct __kernel_timespec { long long tv_sec; long long tv_nsec; };
struct __kernel_itimerspec { struct __kernel_timespec it_interval; struct __kernel_timespec it_value; };
struct __kernel_old_timeval { long tv_sec; long tv_usec; };
struct __kernel_old_timespec { long tv_sec; long tv_nsec; };
struct __kernel_old_itimerval { struct __kernel_old_timeval it_interval; struct __kernel_old_timeval it_value; };
struct __kernel_sock_timeval { __s64 tv_sec; __s64 tv_usec; };
#endif
