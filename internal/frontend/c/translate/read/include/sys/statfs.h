#ifndef _FP_SYS_STATFS_H
#define _FP_SYS_STATFS_H
#include <features.h>
typedef struct { int __val[2]; } fsid_t;
struct statfs { long f_type; long f_bsize; unsigned long f_blocks; unsigned long f_bfree; unsigned long f_bavail; unsigned long f_files; unsigned long f_ffree; fsid_t f_fsid; long f_namelen; long f_frsize; long f_flags; long f_spare[4]; };
struct statfs64 { long f_type; long f_bsize; unsigned long f_blocks; unsigned long f_bfree; unsigned long f_bavail; unsigned long f_files; unsigned long f_ffree; fsid_t f_fsid; long f_namelen; long f_frsize; long f_flags; long f_spare[4]; };
int statfs(const char *, struct statfs *);
int statfs64(const char *, struct statfs64 *);
int fstatfs(int, struct statfs *);
int fstatfs64(int, struct statfs64 *);
#endif
