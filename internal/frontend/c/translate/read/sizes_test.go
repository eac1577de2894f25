package read_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/frontend/c/translate/read"
)

// sizes are the sizes and alignments of types in the headers of glibc for x86-64.
const sizes = `
pthread_t: 8, 8
pthread_mutex_t: 40, 8
pthread_cond_t: 48, 8
pthread_rwlock_t: 56, 8
pthread_barrier_t: 32, 8
pthread_spinlock_t: 4, 4
pthread_once_t: 4, 4
pthread_attr_t: 56, 8
pthread_mutexattr_t: 4, 4
pthread_condattr_t: 4, 4
pthread_rwlockattr_t: 8, 8
pthread_barrierattr_t: 4, 4
pthread_key_t: 4, 4
sem_t: 32, 8
mtx_t: 40, 8
cnd_t: 48, 8
thrd_t: 8, 8
tss_t: 4, 4
once_flag: 4, 4
atomic_flag: 1, 1
atomic_int: 4, 4
atomic_llong: 8, 8
atomic_bool: 1, 1
FILE: 216, 8
fpos_t: 16, 8
jmp_buf: 200, 8
sigjmp_buf: 200, 8
sigset_t: 128, 8
stack_t: 24, 8
siginfo_t: 128, 8
sig_atomic_t: 4, 4
time_t: 8, 8
clock_t: 8, 8
clockid_t: 4, 4
timer_t: 8, 8
cpu_set_t: 128, 8
pid_t: 4, 4
off_t: 8, 8
ssize_t: 8, 8
mode_t: 4, 4
dev_t: 8, 8
ino_t: 8, 8
nlink_t: 8, 8
blksize_t: 8, 8
blkcnt_t: 8, 8
uid_t: 4, 4
gid_t: 4, 4
id_t: 4, 4
key_t: 4, 4
suseconds_t: 8, 8
useconds_t: 4, 4
intmax_t: 8, 8
uintptr_t: 8, 8
int_fast8_t: 1, 1
int_fast16_t: 8, 8
int_fast32_t: 8, 8
int_least8_t: 1, 1
size_t: 8, 8
ptrdiff_t: 8, 8
wchar_t: 4, 4
max_align_t: 32, 16
mbstate_t: 8, 4
wint_t: 4, 4
div_t: 8, 4
ldiv_t: 16, 8
lldiv_t: 16, 8
imaxdiv_t: 16, 8
fenv_t: 32, 4
fexcept_t: 2, 2
nfds_t: 8, 8
socklen_t: 4, 4
sa_family_t: 2, 2
struct timespec: 16, 8
struct tm: 56, 8
struct itimerspec: 32, 8
struct timeval: 16, 8
struct itimerval: 32, 8
struct timezone: 8, 4
struct sched_param: 4, 4
struct sigaction: 152, 8
struct sigevent: 64, 8
struct stat: 144, 8
struct pollfd: 8, 4
struct rlimit: 16, 8
struct rusage: 144, 8
struct iovec: 16, 8
struct epoll_event: 12, 1
struct sockaddr: 16, 2
struct msghdr: 56, 8
struct sockaddr_in: 16, 4
struct in_addr: 4, 4
struct lconv: 96, 8
struct dirent: 280, 8
struct utsname: 390, 1
struct flock: 32, 8
fd_set: 128, 8
struct robust_list: 8, 8
struct robust_list_head: 24, 8
`

const sizesHeaders = `#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <stdatomic.h>
#include <stdio.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <sched.h>
#include <sys/types.h>
#include <stdint.h>
#include <stddef.h>
#include <locale.h>
#include <wchar.h>
#include <stdlib.h>
#include <inttypes.h>
#include <fenv.h>
#include <stdarg.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/epoll.h>
#include <netinet/in.h>
#include <dirent.h>
#include <sys/utsname.h>
#include <fcntl.h>
#include <sys/select.h>
#include <linux/futex.h>
`

// TestSizes: types have the sizes and alignments of glibc's, here and for a gcc at hand.
func TestSizes(t *testing.T) {
	var text strings.Builder
	text.WriteString(sizesHeaders + moreSizesHeaders)
	rows := regexp.MustCompile(`(?m)^(.+): (\d+), (\d+)$`).FindAllStringSubmatch(sizes+moreSizes, -1)
	if len(rows) < 200 {
		t.Errorf("only %d types", len(rows))
	}
	for _, m := range rows {
		fmt.Fprintf(&text, "_Static_assert(sizeof(%s) == %s && _Alignof(%s) == %s, \"%s\");\n", m[1], m[2], m[1], m[3], m[1])
	}
	readText(t, "sizes", text.String(), read.Options{})
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("notice: no gcc here, so the sizes are not compared with the headers of the system")
	}
	cmd := exec.Command(gcc, "-w", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%.3000s", err, out)
	}
}
