#ifndef _FP_FCNTL_H
#define _FP_FCNTL_H
#include <features.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <sys/uio.h>
struct flock { short l_type, l_whence; off_t l_start, l_len; pid_t l_pid; };
struct flock64 { short l_type, l_whence; off_t l_start, l_len; pid_t l_pid; };
struct f_owner_ex { int type; pid_t pid; };
struct file_handle { unsigned handle_bytes; int handle_type; unsigned char f_handle[]; };
#define F_GETLK64 5
#define F_SETLK64 6
#define F_SETLKW64 7
#define O_ACCMODE 3
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 64
#define O_EXCL 128
#define O_NOCTTY 256
#define O_TRUNC 512
#define O_APPEND 1024
#define O_NONBLOCK 2048
#define O_NDELAY 2048
#define O_SYNC 1052672
#define O_FSYNC 1052672
#define O_ASYNC 8192
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define FD_CLOEXEC 1
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_EXLCK 4
#define F_SHLCK 8
int fcntl(int, int, ...);
int open(const char *, int, ...);
int creat(const char *, mode_t);
#ifdef __FP_USE_DEFAULT
#define O_DIRECTORY 65536
#define O_NOFOLLOW 131072
#define O_CLOEXEC 524288
#define O_DSYNC 4096
#define O_RSYNC 1052672
#define F_SETOWN 8
#define F_GETOWN 9
#define F_DUPFD_CLOEXEC 1030
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8
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
#define S_ISUID 2048
#define S_ISGID 1024
#define S_IRUSR 256
#define S_IWUSR 128
#define S_IXUSR 64
#define S_IRWXU 448
#define S_IRGRP 32
#define S_IWGRP 16
#define S_IXGRP 8
#define S_IRWXG 56
#define S_IROTH 4
#define S_IWOTH 2
#define S_IXOTH 1
#define S_IRWXO 7
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define F_ULOCK 0
#define F_LOCK 1
#define F_TLOCK 2
#define F_TEST 3
int openat(int, const char *, int, ...);
int lockf(int, int, off_t);
int posix_fadvise(int, off_t, off_t, int);
int posix_fallocate(int, off_t, off_t);
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
#define FALLOC_FL_KEEP_SIZE 1
#define FALLOC_FL_PUNCH_HOLE 2
#define FALLOC_FL_NO_HIDE_STALE 4
#define FALLOC_FL_COLLAPSE_RANGE 8
#define FALLOC_FL_ZERO_RANGE 16
#define FALLOC_FL_INSERT_RANGE 32
#define FALLOC_FL_UNSHARE_RANGE 64
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
int fcntl64(int, int, ...);
int open64(const char *, int, ...);
int openat64(int, const char *, int, ...);
int creat64(const char *, mode_t);
int lockf64(int, int, off64_t);
int posix_fadvise64(int, off64_t, off64_t, int);
int posix_fallocate64(int, off64_t, off64_t);
#endif
#endif
