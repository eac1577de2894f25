#ifndef _FP_SIGNAL_H
#define _FP_SIGNAL_H
#include <features.h>
#include <sys/types.h>
#include <fencepost/timespec.h>
typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
typedef void (*sig_t)(int);
typedef sighandler_t __sighandler_t;
typedef struct { unsigned long __val[16]; } sigset_t;
typedef union sigval { int sival_int; void *sival_ptr; } sigval_t;
typedef struct {
  int si_signo, si_errno, si_code, __pad;
  union { int __space[28]; struct { int si_pid; unsigned si_uid; sigval_t si_value; } __rt; struct { int si_pid; unsigned si_uid; int si_status; long si_utime, si_stime; } __child; struct { void *si_addr; } __fault; struct { long si_band; int si_fd; } __poll; } __fields;
} siginfo_t;
#define si_pid __fields.__rt.si_pid
#define si_uid __fields.__rt.si_uid
#define si_value __fields.__rt.si_value
#define si_status __fields.__child.si_status
#define si_utime __fields.__child.si_utime
#define si_stime __fields.__child.si_stime
#define si_addr __fields.__fault.si_addr
#define si_band __fields.__poll.si_band
#define si_fd __fields.__poll.si_fd
#define si_int __fields.__rt.si_value.sival_int
#define si_ptr __fields.__rt.si_value.sival_ptr
struct sigaction {
  union { sighandler_t sa_handler; void (*sa_sigaction)(int, siginfo_t *, void *); } __sigaction_handler;
  sigset_t sa_mask;
  int sa_flags;
  void (*sa_restorer)(void);
};
#define sa_handler __sigaction_handler.sa_handler
#define sa_sigaction __sigaction_handler.sa_sigaction
typedef struct sigevent { sigval_t sigev_value; int sigev_signo, sigev_notify; union { int __pad[12]; int _tid; struct { void (*_function)(sigval_t); pthread_attr_t *_attribute; } _thread; } __un; } sigevent_t;
#define sigev_notify_function __un._thread._function
#define sigev_notify_attributes __un._thread._attribute
typedef struct { void *ss_sp; int ss_flags; size_t ss_size; } stack_t;
struct sigstack { void *ss_sp; int ss_onstack; };
typedef long greg_t;
typedef greg_t gregset_t[23];
typedef struct { gregset_t gregs; void *fpregs; unsigned long __reserved[8]; } mcontext_t;
typedef struct ucontext_t { unsigned long uc_flags; struct ucontext_t *uc_link; stack_t uc_stack; mcontext_t uc_mcontext; sigset_t uc_sigmask; unsigned char __fpregs[512]; unsigned long long __ssp[4]; } ucontext_t;
#define SIG_ERR ((sighandler_t)-1)
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_HOLD ((sighandler_t)2)
#define SIGRTMIN (__libc_current_sigrtmin())
#define SIGRTMAX (__libc_current_sigrtmax())
#define _NSIG 65
#define sigmask(n) (1 << ((n) - 1))
int __libc_current_sigrtmin(void);
int __libc_current_sigrtmax(void);
#define SIGINT 2
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGSEGV 11
#define SIGTERM 15
#define SIGHUP 1
#define SIGQUIT 3
#define SIGTRAP 5
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14
#define SIGIO 29
#define SIGIOT 6
#define SIGCLD 17
#define SIGSTKFLT 16
#define SIGPWR 30
#define SIGBUS 7
#define SIGSYS 31
#define SIGURG 23
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGCONT 18
#define SIGCHLD 17
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGPOLL 29
#define SIGXFSZ 25
#define SIGXCPU 24
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGUSR1 10
#define SIGUSR2 12
#define SIGWINCH 28
sighandler_t signal(int, sighandler_t);
int raise(int);
#ifdef __FP_USE_DEFAULT
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
#define NSIG 65
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
int kill(pid_t, int);
int killpg(pid_t, int);
sighandler_t ssignal(int, sighandler_t);
int gsignal(int);
void psignal(int, const char *);
void psiginfo(const siginfo_t *, const char *);
int sigblock(int);
int sigsetmask(int);
int siggetmask(void);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigdelset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigprocmask(int, const sigset_t *, sigset_t *);
int sigsuspend(const sigset_t *);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigpending(sigset_t *);
int sigwait(const sigset_t *, int *);
int sigwaitinfo(const sigset_t *, siginfo_t *);
int sigtimedwait(const sigset_t *, siginfo_t *, const struct timespec *);
int sigqueue(pid_t, int, const union sigval );
int sigreturn(struct sigcontext *);
int siginterrupt(int, int);
int sigaltstack(const stack_t *, stack_t *);
int sigstack(struct sigstack *, struct sigstack *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_kill(pthread_t, int);
#endif
#ifdef _GNU_SOURCE
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#define TRAP_BRANCH 3
#define TRAP_HWBKPT 4
#define TRAP_UNK 5
#define CLOSE_RANGE_UNSHARE 2U
#define CLOSE_RANGE_CLOEXEC 4U
sighandler_t sysv_signal(int, sighandler_t);
int sigpause(int);
int sigisemptyset(const sigset_t *);
int sigandset(sigset_t *, const sigset_t *, const sigset_t *);
int sigorset(sigset_t *, const sigset_t *, const sigset_t *);
int getopt(int, char *const *, const char *);
pid_t gettid(void);
int sighold(int);
int sigrelse(int);
int sigignore(int);
sighandler_t sigset(int, sighandler_t);
int pthread_sigqueue(pthread_t, int, const union sigval );
int tgkill(pid_t, pid_t, int);
#endif
#endif
