#ifndef _FP_SYS_VFS_H
#define _FP_SYS_VFS_H
#include <features.h>
#include <sys/statfs.h>
#endif
