#ifndef _FP_SETJMP_H
#define _FP_SETJMP_H
#include <features.h>
typedef struct __jmp_buf_tag { long __jmpbuf[8]; int __mask_was_saved; unsigned long __saved_mask[16]; } jmp_buf[1];
typedef struct __jmp_buf_tag sigjmp_buf[1];
int setjmp(jmp_buf);
#define setjmp(env) setjmp(env)
int sigsetjmp(sigjmp_buf, int);
#define sigsetjmp(env, save) sigsetjmp(env, save)
void longjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
#ifdef __FP_USE_DEFAULT
void _longjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
void siglongjmp(struct __jmp_buf_tag *, int) __attribute__((__noreturn__));
#endif
#endif
