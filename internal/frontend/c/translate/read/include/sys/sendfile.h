#ifndef _FP_SYS_SENDFILE_H
#define _FP_SYS_SENDFILE_H
#include <features.h>
#include <sys/types.h>
ssize_t sendfile(int, int, off_t *, size_t);
ssize_t sendfile64(int, int, long *, size_t);
#endif
