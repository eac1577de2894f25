#ifndef _FP_SYS_UNISTD_H
#define _FP_SYS_UNISTD_H
#include <unistd.h>
#endif
