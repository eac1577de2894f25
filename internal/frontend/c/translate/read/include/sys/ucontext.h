#ifndef _FP_SYS_UCONTEXT_H
#define _FP_SYS_UCONTEXT_H
#include <ucontext.h>
#endif
