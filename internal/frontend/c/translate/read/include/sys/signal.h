#ifndef _FP_SYS_SIGNAL_H
#define _FP_SYS_SIGNAL_H
#include <signal.h>
#endif
