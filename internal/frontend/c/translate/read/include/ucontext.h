#ifndef _FP_UCONTEXT_H
#define _FP_UCONTEXT_H
#include <signal.h>
int getcontext(ucontext_t *);
int setcontext(const ucontext_t *);
int swapcontext(ucontext_t *, const ucontext_t *);
void makecontext(ucontext_t *, void(*) (void), int, ...);
#endif
