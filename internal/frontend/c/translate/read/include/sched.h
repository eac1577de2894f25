#ifndef _FP_SCHED_H
#define _FP_SCHED_H
#include <features.h>
#include <sys/types.h>
#include <fencepost/timespec.h>
struct sched_param { int sched_priority; };
typedef unsigned long __cpu_mask;
typedef struct { unsigned long __bits[16]; } cpu_set_t;
#define CPU_ZERO_S(n, s) __builtin_memset(s, 0, n)
#define CPU_SET_S(c, n, s) ((void)((c) / 8 < (n) ? ((unsigned long *)(s))[(c) / 64] |= 1ul << (c) % 64 : 0))
#define CPU_CLR_S(c, n, s) ((void)((c) / 8 < (n) ? ((unsigned long *)(s))[(c) / 64] &= ~(1ul << (c) % 64) : 0))
#define CPU_ISSET_S(c, n, s) ((c) / 8 < (n) ? (int)(((const unsigned long *)(s))[(c) / 64] >> (c) % 64 & 1) : 0)
#define CPU_ZERO(s) CPU_ZERO_S(sizeof(cpu_set_t), s)
#define CPU_SET(c, s) CPU_SET_S(c, sizeof(cpu_set_t), s)
#define CPU_CLR(c, s) CPU_CLR_S(c, sizeof(cpu_set_t), s)
#define CPU_ISSET(c, s) CPU_ISSET_S(c, sizeof(cpu_set_t), s)
#define CPU_COUNT_S(n, s) __sched_cpucount(n, s)
#define CPU_COUNT(s) __sched_cpucount(sizeof(cpu_set_t), s)
#define CPU_ALLOC_SIZE(n) (((n) + 63) / 64 * 8)
#define CPU_ALLOC(n) __sched_cpualloc(n)
#define CPU_FREE(s) __sched_cpufree(s)
int __sched_cpucount(size_t, const cpu_set_t *);
cpu_set_t *__sched_cpualloc(size_t);
void __sched_cpufree(cpu_set_t *);
#define CLOCKS_PER_SEC 1000000L
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
int sched_setparam(pid_t, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_getscheduler(pid_t);
int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_rr_get_interval(pid_t, struct timespec *);
#ifdef _GNU_SOURCE
#define SCHED_BATCH 3
#define SCHED_ISO 4
#define SCHED_IDLE 5
#define SCHED_DEADLINE 6
#define SCHED_RESET_ON_FORK 1073741824
#define CSIGNAL 255
#define CLONE_VM 256
#define CLONE_FS 512
#define CLONE_FILES 1024
#define CLONE_SIGHAND 2048
#define CLONE_PIDFD 4096
#define CLONE_PTRACE 8192
#define CLONE_VFORK 16384
#define CLONE_PARENT 32768
#define CLONE_THREAD 65536
#define CLONE_NEWNS 131072
#define CLONE_SYSVSEM 262144
#define CLONE_SETTLS 524288
#define CLONE_PARENT_SETTID 1048576
#define CLONE_CHILD_CLEARTID 2097152
#define CLONE_DETACHED 4194304
#define CLONE_UNTRACED 8388608
#define CLONE_CHILD_SETTID 16777216
#define CLONE_NEWCGROUP 33554432
#define CLONE_NEWUTS 67108864
#define CLONE_NEWIPC 134217728
#define CLONE_NEWUSER 268435456
#define CLONE_NEWPID 536870912
#define CLONE_NEWNET 1073741824
#define CLONE_IO 2147483648U
#define CLONE_NEWTIME 128
#define CPU_SETSIZE 1024
int clone(int(*) (void *), void *, int, void *, ...);
int unshare(int);
int sched_getcpu(void);
int getcpu(unsigned int *, unsigned int *);
int setns(int, int);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
#endif
#endif
