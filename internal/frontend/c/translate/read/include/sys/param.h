#ifndef _FP_SYS_PARAM_H
#define _FP_SYS_PARAM_H
#include <features.h>
#include <limits.h>
#include <endian.h>
#include <signal.h>
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define howmany(x, y) (((x) + ((y) - 1)) / (y))
#define roundup(x, y) ((((x) + ((y) - 1)) / (y)) * (y))
#define powerof2(x) ((((x) - 1) & (x)) == 0)
#define NR_OPEN 1024
#define NGROUPS_MAX 65536
#define LINK_MAX 127
#define MAX_CANON 255
#define MAX_INPUT 255
#define NAME_MAX 255
#define PATH_MAX 4096
#define PIPE_BUF 4096
#define XATTR_NAME_MAX 255
#define XATTR_SIZE_MAX 65536
#define XATTR_LIST_MAX 65536
#define RTSIG_MAX 32
#define HZ 100
#define EXEC_PAGESIZE 4096
#define NOGROUP (-1)
#define MAXHOSTNAMELEN 64
#define MAXSYMLINKS 20
#define NOFILE 256
#define NCARGS 131072
#define NBBY 8
#define NGROUPS 65536
#define CANBSIZ 255
#define MAXPATHLEN 4096
#define NODEV 18446744073709551615UL
#define DEV_BSIZE 512
#ifdef __FP_USE_DEFAULT
#define PTHREAD_KEYS_MAX 1024
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define AIO_PRIO_DELTA_MAX 20
#define PTHREAD_STACK_MIN 16384
#define DELAYTIMER_MAX 2147483647
#define TTY_NAME_MAX 32
#define LOGIN_NAME_MAX 256
#define HOST_NAME_MAX 64
#define MQ_PRIO_MAX 32768
#define SEM_VALUE_MAX 2147483647
#define SSIZE_MAX 9223372036854775807L
#define BC_BASE_MAX 99
#define BC_DIM_MAX 2048
#define BC_SCALE_MAX 99
#define BC_STRING_MAX 1000
#define COLL_WEIGHTS_MAX 255
#define EXPR_NEST_MAX 32
#define LINE_MAX 2048
#define CHARCLASS_NAME_MAX 2048
#define RE_DUP_MAX 32767
#define SI_ASYNCNL (-60)
#define SI_DETHREAD (-7)
#define SI_TKILL (-6)
#define SI_SIGIO (-5)
#define SI_ASYNCIO (-4)
#define SI_MESGQ (-3)
#define SI_TIMER (-2)
#define SI_QUEUE (-1)
#define SI_USER 0
#define SI_KERNEL 128
#define ILL_ILLOPC 1
#define ILL_ILLOPN 2
#define ILL_ILLADR 3
#define ILL_ILLTRP 4
#define ILL_PRVOPC 5
#define ILL_PRVREG 6
#define ILL_COPROC 7
#define ILL_BADSTK 8
#define ILL_BADIADDR 9
#define FPE_INTDIV 1
#define FPE_INTOVF 2
#define FPE_FLTDIV 3
#define FPE_FLTOVF 4
#define FPE_FLTUND 5
#define FPE_FLTRES 6
#define FPE_FLTINV 7
#define FPE_FLTSUB 8
#define FPE_FLTUNK 14
#define FPE_CONDTRAP 15
#define SEGV_MAPERR 1
#define SEGV_ACCERR 2
#define SEGV_BNDERR 3
#define SEGV_PKUERR 4
#define SEGV_ACCADI 5
#define SEGV_ADIDERR 6
#define SEGV_ADIPERR 7
#define SEGV_MTEAERR 8
#define SEGV_MTESERR 9
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define BUS_OBJERR 3
#define BUS_MCEERR_AR 4
#define BUS_MCEERR_AO 5
#define CLD_EXITED 1
#define CLD_KILLED 2
#define CLD_DUMPED 3
#define CLD_TRAPPED 4
#define CLD_STOPPED 5
#define CLD_CONTINUED 6
#define POLL_IN 1
#define POLL_OUT 2
#define POLL_MSG 3
#define POLL_ERR 4
#define POLL_PRI 5
#define POLL_HUP 6
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
#define SIGEV_THREAD_ID 4
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 134217728
#define SA_RESTART 268435456
#define SA_NODEFER 1073741824
#define SA_RESETHAND 2147483648U
#define SA_INTERRUPT 536870912
#define SA_NOMASK 1073741824
#define SA_ONESHOT 2147483648U
#define SA_STACK 134217728
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define FP_XSTATE_MAGIC1 1179670611U
#define FP_XSTATE_MAGIC2 1179670597U
#define FP_XSTATE_MAGIC2_SIZE 4UL
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
#define SS_ONSTACK 1
#define SS_DISABLE 2
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_kill(pthread_t, int);
#endif
#ifdef _GNU_SOURCE
#define IOV_MAX 1024
#define NL_ARGMAX 4096
#define NL_LANGMAX 2048
#define NL_MSGMAX 2147483647
#define NL_NMAX 2147483647
#define NL_SETMAX 2147483647
#define NL_TEXTMAX 2147483647
#define NZERO 20
#define WORD_BIT 32
#define LONG_BIT 64
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#define TRAP_BRANCH 3
#define TRAP_HWBKPT 4
#define TRAP_UNK 5
#define CLOSE_RANGE_UNSHARE 2U
#define CLOSE_RANGE_CLOEXEC 4U
int getopt(int, char *const *, const char *);
pid_t gettid(void);
int pthread_sigqueue(pthread_t, int, const union sigval );
int tgkill(pid_t, pid_t, int);
#endif
#endif
