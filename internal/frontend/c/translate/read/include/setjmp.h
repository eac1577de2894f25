#ifndef _FP_SETJMP_H
#define _FP_SETJMP_H
typedef long jmp_buf[25];
int setjmp(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((__noreturn__));
#endif
