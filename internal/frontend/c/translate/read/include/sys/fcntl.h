#ifndef _FP_SYS_FCNTL_H
#define _FP_SYS_FCNTL_H
#include <fcntl.h>
#endif
