#ifndef _FP_SYS_IO_H
#define _FP_SYS_IO_H
#include <features.h>
int ioperm(unsigned long int, unsigned long int, int);
int iopl(int);
#endif
