#ifndef _FP_SYS_SELECT_H
#define _FP_SYS_SELECT_H
#include <features.h>
#include <sys/types.h>
#include <signal.h>
#include <fencepost/timespec.h>
typedef long fd_mask;
typedef struct { long fds_bits[16]; } fd_set;
#define FD_ZERO(s) __builtin_memset(s, 0, sizeof(fd_set))
#define FD_SET(d, s) ((void)((s)->fds_bits[(d) / 64] |= (long)(1ul << (d) % 64)))
#define FD_CLR(d, s) ((void)((s)->fds_bits[(d) / 64] &= ~(long)(1ul << (d) % 64)))
#define FD_ISSET(d, s) (((s)->fds_bits[(d) / 64] & (long)(1ul << (d) % 64)) != 0)
#define FD_SETSIZE 1024
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
#ifdef __FP_USE_DEFAULT
#define NFDBITS 64
int pselect(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
#endif
#endif
