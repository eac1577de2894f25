#ifndef _FP_SYS_RESOURCE_H
#define _FP_SYS_RESOURCE_H
#include <features.h>
#include <sys/types.h>
#include <fencepost/timespec.h>
typedef unsigned long rlim_t;
struct rlimit { rlim_t rlim_cur, rlim_max; };
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock, ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw; };
typedef int __rlimit_resource_t;
typedef int __rusage_who_t;
typedef int __priority_which_t;
#define RLIMIT_CPU 0
#define RLIMIT_FSIZE 1
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_CORE 4
#define RLIMIT_RSS 5
#define RLIMIT_NOFILE 7
#define RLIMIT_OFILE 7
#define RLIMIT_AS 9
#define RLIMIT_NPROC 6
#define RLIMIT_MEMLOCK 8
#define RLIMIT_LOCKS 10
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE 12
#define RLIMIT_NICE 13
#define RLIMIT_RTPRIO 14
#define RLIMIT_RTTIME 15
#define RLIMIT_NLIMITS 16
#define RLIM_NLIMITS 16
#define RLIM_INFINITY 18446744073709551615UL
#define RLIM_SAVED_MAX 18446744073709551615UL
#define RLIM_SAVED_CUR 18446744073709551615UL
#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN (-1)
#define PRIO_MIN (-20)
#define PRIO_MAX 20
#define PRIO_PROCESS 0
#define PRIO_PGRP 1
#define PRIO_USER 2
int getrlimit(__rlimit_resource_t, struct rlimit *);
int setrlimit(__rlimit_resource_t, const struct rlimit *);
int getrusage(__rusage_who_t, struct rusage *);
int getpriority(__priority_which_t, id_t);
int setpriority(__priority_which_t, id_t, int);
#ifdef _GNU_SOURCE
#define RLIM64_INFINITY 18446744073709551615ULL
#define RUSAGE_THREAD 1
#define RUSAGE_LWP 1
int prlimit(pid_t, int, const struct rlimit *, struct rlimit *);
int prlimit64(pid_t, int, const struct rlimit64 *, struct rlimit64 *);
int getrlimit64(__rlimit_resource_t, struct rlimit64 *);
int setrlimit64(__rlimit_resource_t, const struct rlimit64 *);
#endif
#endif
