#ifndef _FP_SYS_FILE_H
#define _FP_SYS_FILE_H
#include <features.h>
#include <fcntl.h>
#define L_SET 0
#define L_INCR 1
#define L_XTND 2
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_UN 8
#define LOCK_NB 4
int flock(int, int);
#ifdef __FP_USE_DEFAULT
#define O_DIRECTORY 65536
#define O_NOFOLLOW 131072
#define O_CLOEXEC 524288
#define O_DSYNC 4096
#define O_RSYNC 1052672
#define F_SETOWN 8
#define F_GETOWN 9
#define F_DUPFD_CLOEXEC 1030
#define FAPPEND 1024
#define FFSYNC 1052672
#define FASYNC 8192
#define FNONBLOCK 2048
#define FNDELAY 2048
#define POSIX_FADV_NORMAL 0
#define POSIX_FADV_RANDOM 1
#define POSIX_FADV_SEQUENTIAL 2
#define POSIX_FADV_WILLNEED 3
#define POSIX_FADV_DONTNEED 4
#define POSIX_FADV_NOREUSE 5
#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 256
#define AT_REMOVEDIR 512
#define AT_SYMLINK_FOLLOW 1024
#define AT_EACCESS 512
#define UTIME_NOW 1073741823L
#define UTIME_OMIT 1073741822L
#endif
#ifdef _GNU_SOURCE
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#define F_OFD_SETLKW 38
#define O_LARGEFILE 0
#define O_DIRECT 16384
#define O_NOATIME 262144
#define O_PATH 2097152
#define O_TMPFILE 4259840
#define F_SETSIG 10
#define F_GETSIG 11
#define F_SETOWN_EX 15
#define F_GETOWN_EX 16
#define F_SETLEASE 1024
#define F_GETLEASE 1025
#define F_NOTIFY 1026
#define F_SETPIPE_SZ 1031
#define F_GETPIPE_SZ 1032
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#define F_GET_FILE_RW_HINT 1037
#define F_SET_FILE_RW_HINT 1038
#define LOCK_MAND 32
#define LOCK_READ 64
#define LOCK_WRITE 128
#define LOCK_RW 192
#define DN_ACCESS 1
#define DN_MODIFY 2
#define DN_CREATE 4
#define DN_DELETE 8
#define DN_RENAME 16
#define DN_ATTRIB 32
#define DN_MULTISHOT 2147483648U
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#define F_SEAL_WRITE 8
#define F_SEAL_FUTURE_WRITE 16
#define RWH_WRITE_LIFE_NOT_SET 0
#define RWF_WRITE_LIFE_NOT_SET 0
#define RWH_WRITE_LIFE_NONE 1
#define RWH_WRITE_LIFE_SHORT 2
#define RWH_WRITE_LIFE_MEDIUM 3
#define RWH_WRITE_LIFE_LONG 4
#define RWH_WRITE_LIFE_EXTREME 5
#define SYNC_FILE_RANGE_WAIT_BEFORE 1
#define SYNC_FILE_RANGE_WRITE 2
#define SYNC_FILE_RANGE_WAIT_AFTER 4
#define SYNC_FILE_RANGE_WRITE_AND_WAIT 7
#define SPLICE_F_MOVE 1
#define SPLICE_F_NONBLOCK 2
#define SPLICE_F_MORE 4
#define SPLICE_F_GIFT 8
#define MAX_HANDLE_SZ 128
#define AT_NO_AUTOMOUNT 2048
#define AT_EMPTY_PATH 4096
#define AT_STATX_SYNC_TYPE 24576
#define AT_STATX_SYNC_AS_STAT 0
#define AT_STATX_FORCE_SYNC 8192
#define AT_STATX_DONT_SYNC 16384
#define AT_RECURSIVE 32768
ssize_t readahead(int, off_t, size_t);
int sync_file_range(int, off_t, off_t, unsigned int);
ssize_t vmsplice(int, const struct iovec *, size_t, unsigned int);
ssize_t splice(int, off_t *, int, off_t *, size_t, unsigned int);
ssize_t tee(int, int, size_t, unsigned int);
int fallocate(int, int, off_t, off_t);
int fallocate64(int, int, off_t, off_t);
int name_to_handle_at(int, const char *, struct file_handle *, int *, int);
int open_by_handle_at(int, struct file_handle *, int);
#endif
#endif
