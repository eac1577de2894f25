#ifndef _FP_WAIT_H
#define _FP_WAIT_H
#include <sys/wait.h>
#endif
