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
#endif
#ifdef _GNU_SOURCE
#define ADJ_OFFSET 1
#define ADJ_FREQUENCY 2
#define ADJ_MAXERROR 4
#define ADJ_ESTERROR 8
#define ADJ_STATUS 16
#define ADJ_TIMECONST 32
#define ADJ_TAI 128
#define ADJ_SETOFFSET 256
#define ADJ_MICRO 4096
#define ADJ_NANO 8192
#define ADJ_TICK 16384
#define ADJ_OFFSET_SINGLESHOT 32769
#define ADJ_OFFSET_SS_READ 40961
#define MOD_OFFSET 1
#define MOD_FREQUENCY 2
#define MOD_MAXERROR 4
#define MOD_ESTERROR 8
#define MOD_STATUS 16
#define MOD_TIMECONST 32
#define MOD_CLKB 16384
#define MOD_CLKA 32769
#define MOD_TAI 128
#define MOD_MICRO 4096
#define MOD_NANO 8192
#define STA_PLL 1
#define STA_PPSFREQ 2
#define STA_PPSTIME 4
#define STA_FLL 8
#define STA_INS 16
#define STA_DEL 32
#define STA_UNSYNC 64
#define STA_FREQHOLD 128
#define STA_PPSSIGNAL 256
#define STA_PPSJITTER 512
#define STA_PPSWANDER 1024
#define STA_PPSERROR 2048
#define STA_CLOCKERR 4096
#define STA_NANO 8192
#define STA_MODE 16384
#define STA_CLK 32768
#define STA_RONLY 65280
int clock_adjtime(clockid_t, struct timex *);
#endif
#endif
