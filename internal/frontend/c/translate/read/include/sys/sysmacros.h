#ifndef _FP_SYS_SYSMACROS_H
#define _FP_SYS_SYSMACROS_H
#include <features.h>
unsigned int gnu_dev_major(unsigned long);
unsigned int gnu_dev_minor(unsigned long);
unsigned long gnu_dev_makedev(unsigned int, unsigned int);
#define major(dev) gnu_dev_major (dev)
#define minor(dev) gnu_dev_minor (dev)
#define makedev(maj,min) gnu_dev_makedev (maj, min)
#endif
