#ifndef _FP_SYS_TIMEX_H
#define _FP_SYS_TIMEX_H
#include <features.h>
#include <sys/time.h>
struct timex { unsigned int modes; long offset; long freq; long maxerror; long esterror; int status; long constant; long precision; long tolerance; struct timeval time; long tick; long ppsfreq; long jitter; int shift; long stabil; long jitcnt; long calcnt; long errcnt; long stbcnt; int tai; int :32; int :32; int :32; int :32; int :32; int :32; int :32; int :32; int :32; int :32; int :32; };
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
#define NTP_API 4
struct ntptimeval { struct timeval time; long int maxerror; long int esterror; long int tai; long int __glibc_reserved1; long int __glibc_reserved2; long int __glibc_reserved3; long int __glibc_reserved4; };
#define TIME_OK 0
#define TIME_INS 1
#define TIME_DEL 2
#define TIME_OOP 3
#define TIME_WAIT 4
#define TIME_ERROR 5
#define TIME_BAD 5
#define MAXTC 6
int adjtimex(struct timex *);
int ntp_gettimex(struct ntptimeval *);
int ntp_gettime(struct ntptimeval *);
int ntp_adjtime(struct timex *);
#endif
