#ifndef _FP_PTY_H
#define _FP_PTY_H
#include <features.h>
struct termios;
struct winsize;
#include <termios.h>
#include <sys/ioctl.h>
int openpty(int *, int *, char *, const struct termios *, const struct winsize *);
int forkpty(int *, char *, const struct termios *, const struct winsize *);
#endif
