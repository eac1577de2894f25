#ifndef _FP_SYS_AUXV_H
#define _FP_SYS_AUXV_H
#include <elf.h>
long unsigned int getauxval(long unsigned int);
#endif
