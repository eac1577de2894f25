#ifndef _FP_TIME_H
#define _FP_TIME_H
#include <features.h>
#include <sys/types.h>
#include <locale.h>
#include <fencepost/timespec.h>
struct itimerspec { struct timespec it_interval, it_value; };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
struct sigevent;
extern char *tzname[2];
extern long timezone;
extern int daylight, getdate_err;
#define CLOCKS_PER_SEC 1000000L
#define TIME_UTC 1
clock_t clock(void);
time_t time(time_t *);
double difftime(time_t, time_t);
time_t mktime(struct tm *);
size_t strftime(char *, size_t, const char *, const struct tm *);
struct tm *gmtime(const time_t *);
struct tm *localtime(const time_t *);
char *asctime(const struct tm *);
char *ctime(const time_t *);
int timespec_get(struct timespec *, int);
#ifdef __FP_USE_DEFAULT
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define CLOCK_REALTIME_ALARM 8
#define CLOCK_BOOTTIME_ALARM 9
#define CLOCK_TAI 11
#define TIMER_ABSTIME 1
size_t strftime_l(char *, size_t, const char *, const struct tm *, locale_t);
struct tm *gmtime_r(const time_t *, struct tm *);
struct tm *localtime_r(const time_t *, struct tm *);
char *asctime_r(const struct tm *, char *);
char *ctime_r(const time_t *, char *);
void tzset(void);
time_t timegm(struct tm *);
time_t timelocal(struct tm *);
int dysize(int);
int nanosleep(const struct timespec *, struct timespec *);
int clock_getres(clockid_t, struct timespec *);
int clock_gettime(clockid_t, struct timespec *);
int clock_settime(clockid_t, const struct timespec *);
int clock_nanosleep(clockid_t, int, const struct timespec *, struct timespec *);
int clock_getcpuclockid(pid_t, clockid_t *);
int timer_create(clockid_t, struct sigevent *, timer_t *);
int timer_delete(timer_t);
int timer_settime(timer_t, int, const struct itimerspec *, struct itimerspec *);
int timer_gettime(timer_t, struct itimerspec *);
int timer_getoverrun(timer_t);
#endif
#ifdef _GNU_SOURCE
#include <fencepost/timex.h>
struct timex;
int clock_adjtime(clockid_t, struct timex *);
char *strptime(const char *, const char *, struct tm *);
char *strptime_l(const char *, const char *, struct tm *, locale_t);
int timespec_getres(struct timespec *, int);
struct tm *getdate(const char *);
int getdate_r(const char *, struct tm *);
#endif
#endif
