#ifndef _FP_POLL_H
#define _FP_POLL_H
#include <features.h>
#include <fencepost/timespec.h>
#include <signal.h>
typedef unsigned long nfds_t;
struct pollfd { int fd; short events, revents; };
#define POLLIN 1
#define POLLPRI 2
#define POLLOUT 4
#define POLLERR 8
#define POLLHUP 16
#define POLLNVAL 32
#ifdef __FP_USE_DEFAULT
#define POLLRDNORM 64
#define POLLRDBAND 128
#define POLLWRNORM 256
#define POLLWRBAND 512
#endif
#ifdef _GNU_SOURCE
#define POLLMSG 1024
#define POLLREMOVE 4096
#define POLLRDHUP 8192
#endif
#endif
