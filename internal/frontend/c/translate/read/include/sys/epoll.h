#ifndef _FP_SYS_EPOLL_H
#define _FP_SYS_EPOLL_H
#include <sys/types.h>
#include <signal.h>
typedef union epoll_data { void *ptr; int fd; uint32_t u32; uint64_t u64; } epoll_data_t;
struct epoll_event { uint32_t events; epoll_data_t data; } __attribute__((__packed__));
#define EPOLL_CLOEXEC 524288
#define EPOLLIN 1
#define EPOLLPRI 2
#define EPOLLOUT 4
#define EPOLLRDNORM 64
#define EPOLLRDBAND 128
#define EPOLLWRNORM 256
#define EPOLLWRBAND 512
#define EPOLLMSG 1024
#define EPOLLERR 8
#define EPOLLHUP 16
#define EPOLLRDHUP 8192
#define EPOLLEXCLUSIVE 268435456
#define EPOLLWAKEUP 536870912
#define EPOLLONESHOT 1073741824
#define EPOLLET 2147483648U
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
int epoll_create(int);
int epoll_create1(int);
int epoll_ctl(int, int, int, struct epoll_event *);
int epoll_wait(int, struct epoll_event *, int, int);
int epoll_pwait(int, struct epoll_event *, int, int, const sigset_t *);
int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
#endif
