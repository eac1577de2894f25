#ifndef _FP_TIME_H
#define _FP_TIME_H
#include <stddef.h>
typedef long time_t;
struct timespec { time_t tv_sec; long tv_nsec; };
typedef long clock_t;
typedef int clockid_t;
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIME_UTC 1
int clock_gettime(clockid_t, struct timespec *);
int timespec_get(struct timespec *, int);
int nanosleep(const struct timespec *, struct timespec *);
#endif
