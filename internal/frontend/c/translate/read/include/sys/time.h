#ifndef _FP_SYS_TIME_H
#define _FP_SYS_TIME_H
#include <features.h>
#include <sys/types.h>
#include <sys/select.h>
#include <fencepost/timespec.h>
struct timezone { int tz_minuteswest, tz_dsttime; };
struct itimerval { struct timeval it_interval, it_value; };
typedef int __itimer_which_t;
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timercmp(a, b, op) ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec op (b)->tv_usec : (a)->tv_sec op (b)->tv_sec)
#define timeradd(a, b, r) do { (r)->tv_sec = (a)->tv_sec + (b)->tv_sec; (r)->tv_usec = (a)->tv_usec + (b)->tv_usec; if ((r)->tv_usec >= 1000000) { ++(r)->tv_sec; (r)->tv_usec -= 1000000; } } while (0)
#define timersub(a, b, r) do { (r)->tv_sec = (a)->tv_sec - (b)->tv_sec; (r)->tv_usec = (a)->tv_usec - (b)->tv_usec; if ((r)->tv_usec < 0) { --(r)->tv_sec; (r)->tv_usec += 1000000; } } while (0)
#define TIMEVAL_TO_TIMESPEC(v, s) do { (s)->tv_sec = (v)->tv_sec; (s)->tv_nsec = (v)->tv_usec * 1000; } while (0)
#define TIMESPEC_TO_TIMEVAL(v, s) do { (v)->tv_sec = (s)->tv_sec; (v)->tv_usec = (s)->tv_nsec / 1000; } while (0)
#define ITIMER_REAL 0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF 2
int gettimeofday(struct timeval *, void *);
int getitimer(__itimer_which_t, struct itimerval *);
int setitimer(__itimer_which_t, const struct itimerval *, struct itimerval *);
int utimes(const char *, const struct timeval *);
#ifdef __FP_USE_DEFAULT
int settimeofday(const struct timeval *, const struct timezone *);
int adjtime(const struct timeval *, struct timeval *);
int lutimes(const char *, const struct timeval *);
int futimes(int, const struct timeval *);
#endif
#ifdef _GNU_SOURCE
int futimesat(int, const char *, const struct timeval *);
#endif
#endif
