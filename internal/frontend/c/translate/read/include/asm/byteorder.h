#ifndef _FP_ASM_BYTEORDER_H
#define _FP_ASM_BYTEORDER_H
#include <features.h>
#include <linux/byteorder/little_endian.h>
#endif
