#ifndef _FP_SYS_POLL_H
#define _FP_SYS_POLL_H
#include <poll.h>
#endif
