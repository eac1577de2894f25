#ifndef _FP_SYS_TERMIOS_H
#define _FP_SYS_TERMIOS_H
#include <features.h>
#include <termios.h>
#endif
