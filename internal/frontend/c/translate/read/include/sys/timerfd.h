#ifndef _FP_SYS_TIMERFD_H
#define _FP_SYS_TIMERFD_H
#include <features.h>
#include <time.h>
#define TFD_CLOEXEC 524288
#define TFD_NONBLOCK 2048
#define TFD_TIMER_ABSTIME 1
#define TFD_TIMER_CANCEL_ON_SET 2
int timerfd_create(clockid_t, int);
int timerfd_settime(int, int, const struct itimerspec *, struct itimerspec *);
int timerfd_gettime(int, struct itimerspec *);
#ifdef _GNU_SOURCE
struct timex;
int clock_adjtime(clockid_t, struct timex *);
#endif
#endif
