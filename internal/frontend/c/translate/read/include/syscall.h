#ifndef _FP_SYSCALL_H
#define _FP_SYSCALL_H
#include <sys/syscall.h>
#endif
