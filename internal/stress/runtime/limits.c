/* Limits for the test, set before its first round: time, memory, the size of files, no
   new files or processes. They are a second line of defence, since a test can only
   access its locations; a system that does not know one of them goes on without it. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static void limit(int what, rlim_t n) {
  struct rlimit l = { n, n };
  setrlimit(what, &l);
}

/* confine allows the system calls that the threads of this program need, and no other:
   no file can be opened, no process made, no connection opened. */
static void confine(void) {
#define PERMIT(n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, n, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    PERMIT(__NR_write), PERMIT(__NR_exit), PERMIT(__NR_exit_group), PERMIT(__NR_futex), PERMIT(__NR_mmap), PERMIT(__NR_munmap),
    PERMIT(__NR_mprotect), PERMIT(__NR_madvise), PERMIT(__NR_brk), PERMIT(__NR_rt_sigaction), PERMIT(__NR_rt_sigprocmask),
    PERMIT(__NR_rt_sigreturn), PERMIT(__NR_sched_yield), PERMIT(__NR_sched_setaffinity), PERMIT(__NR_sched_getaffinity),
    PERMIT(__NR_clock_gettime), PERMIT(__NR_clock_nanosleep), PERMIT(__NR_nanosleep), PERMIT(__NR_gettid), PERMIT(__NR_getpid),
    PERMIT(__NR_set_robust_list), PERMIT(__NR_fstat), PERMIT(__NR_getrandom),
#ifdef __NR_rseq
    PERMIT(__NR_rseq),
#endif
#ifdef __NR_newfstatat
    PERMIT(__NR_newfstatat),
#endif
    /* Threads, but no processes. The arguments of clone3 cannot be seen here; without it, clone is used. */
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x10000 /* CLONE_THREAD */, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
#undef PERMIT
  struct sock_fprog program = { sizeof rules / sizeof *rules, rules };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void set_limits(double seconds, int threads) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 3);
  limit(RLIMIT_AS, (rlim_t)6 << 30);
  limit(RLIMIT_CPU, (rlim_t)((2 * seconds + 20) * (threads + 1)) + 1);
  confine();
}
