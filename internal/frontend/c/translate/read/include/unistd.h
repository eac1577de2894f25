#ifndef _FP_UNISTD_H
#define _FP_UNISTD_H
#include <stddef.h>
unsigned sleep(unsigned);
int usleep(unsigned);
void _exit(int) __attribute__((__noreturn__));
int fork(void);
int getpid(void);
#endif
