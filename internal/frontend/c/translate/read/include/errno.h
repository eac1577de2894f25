#ifndef _FP_ERRNO_H
#define _FP_ERRNO_H
#include <asm/errno.h>
int *__errno_location(void);
#define errno (*__errno_location())
extern char *program_invocation_name, *program_invocation_short_name;
#define ENOTSUP 95
#endif
