#ifndef _FP_LINUX_TYPES_H
#define _FP_LINUX_TYPES_H
#include <asm/types.h>
typedef __u16 __le16;
typedef __u16 __be16;
typedef __u32 __le32;
typedef __u32 __be32;
typedef __u64 __le64;
typedef __u64 __be64;
typedef __u16 __sum16;
typedef __u32 __wsum;
#define __bitwise
#define __aligned_u64 __u64 __attribute__((aligned(8)))
#endif
