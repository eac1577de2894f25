#ifndef _FP_SYS_UIO_H
#define _FP_SYS_UIO_H
#include <features.h>
#include <sys/types.h>
struct iovec { void *iov_base; size_t iov_len; };
#define UIO_MAXIOV 1024
ssize_t readv(int, const struct iovec *, int);
ssize_t writev(int, const struct iovec *, int);
#ifdef __FP_USE_DEFAULT
ssize_t preadv(int, const struct iovec *, int, off_t);
ssize_t pwritev(int, const struct iovec *, int, off_t);
#endif
#ifdef _GNU_SOURCE
#define RWF_HIPRI 1
#define RWF_DSYNC 2
#define RWF_SYNC 4
#define RWF_NOWAIT 8
#define RWF_APPEND 16
#define RWF_NOAPPEND 32
ssize_t preadv64(int, const struct iovec *, int, off_t);
ssize_t pwritev64(int, const struct iovec *, int, off_t);
ssize_t preadv2(int, const struct iovec *, int, off_t, int);
ssize_t pwritev2(int, const struct iovec *, int, off_t, int);
ssize_t preadv64v2(int, const struct iovec *, int, off_t, int);
ssize_t pwritev64v2(int, const struct iovec *, int, off_t, int);
ssize_t process_vm_readv(pid_t, const struct iovec *, long unsigned int, const struct iovec *, long unsigned int, long unsigned int);
ssize_t process_vm_writev(pid_t, const struct iovec *, long unsigned int, const struct iovec *, long unsigned int, long unsigned int);
#endif
#endif
