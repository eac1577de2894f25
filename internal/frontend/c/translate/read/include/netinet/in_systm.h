#ifndef _FP_NETINET_IN_SYSTM_H
#define _FP_NETINET_IN_SYSTM_H
#include <features.h>
#include <sys/types.h>
#include <stdint.h>
typedef uint16_t n_short;
typedef uint32_t n_long;
typedef uint32_t n_time;
#endif
