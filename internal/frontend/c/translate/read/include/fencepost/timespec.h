#ifndef _FP_FENCEPOST_TIMESPEC_H
#define _FP_FENCEPOST_TIMESPEC_H
typedef long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; long tv_usec; };
#endif
