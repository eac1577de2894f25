#ifndef _FP_LINUX_VERSION_H
#define _FP_LINUX_VERSION_H
#define LINUX_VERSION_CODE 393472
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))
#endif
