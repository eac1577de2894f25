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
int getopt(int, char *const *, const char *);
pid_t gettid(void);
int pthread_sigqueue(pthread_t, int, const union sigval );
int tgkill(pid_t, pid_t, int);
#endif
#endif
