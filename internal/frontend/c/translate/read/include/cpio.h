#ifndef _FP_CPIO_H
#define _FP_CPIO_H
#include <features.h>
#define MAGIC "070707"
#define C_IRUSR 256
#define C_IWUSR 128
#define C_IXUSR 64
#define C_IRGRP 32
#define C_IWGRP 16
#define C_IXGRP 8
#define C_IROTH 4
#define C_IWOTH 2
#define C_IXOTH 1
#define C_ISUID 2048
#define C_ISGID 1024
#define C_ISVTX 512
#define C_ISBLK 24576
#define C_ISCHR 8192
#define C_ISDIR 16384
#define C_ISFIFO 4096
#define C_ISSOCK 49152
#define C_ISLNK 40960
#define C_ISCTG 36864
#define C_ISREG 32768
#endif
