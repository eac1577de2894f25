#ifndef _FP_SYSLOG_H
#define _FP_SYSLOG_H
#include <stdarg.h>
#endif
