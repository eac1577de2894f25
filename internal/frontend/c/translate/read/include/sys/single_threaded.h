#ifndef _FP_SYS_SINGLE_THREADED_H
#define _FP_SYS_SINGLE_THREADED_H
#include <features.h>
extern char __libc_single_threaded;
#endif
