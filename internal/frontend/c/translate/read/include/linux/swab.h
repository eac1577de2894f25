#ifndef _FP_LINUX_SWAB_H
#define _FP_LINUX_SWAB_H
#include <linux/types.h>
#define __swab16(x) ((__u16)__builtin_bswap16((__u16)(x)))
#define __swab32(x) ((__u32)__builtin_bswap32((__u32)(x)))
#define __swab64(x) ((__u64)__builtin_bswap64((__u64)(x)))
#define __swab(x) ((unsigned long)__builtin_bswap64((unsigned long)(x)))
#define __swahw32(x) ((__u32)((__u32)(x) << 16 | (__u32)(x) >> 16))
#define __swahb32(x) __swahw32(__swab32(x))
#define __swab16p(p) __swab16(*(p))
#define __swab32p(p) __swab32(*(p))
#define __swab64p(p) __swab64(*(p))
#define __swab16s(p) ((void)(*(p) = __swab16(*(p))))
#define __swab32s(p) ((void)(*(p) = __swab32(*(p))))
#define __swab64s(p) ((void)(*(p) = __swab64(*(p))))
#endif
