#ifndef _FP_SYS_STAT_H
#define _FP_SYS_STAT_H
#include <features.h>
#include <sys/types.h>
#include <fencepost/timespec.h>
struct stat {
  dev_t st_dev; ino_t st_ino; nlink_t st_nlink; mode_t st_mode; uid_t st_uid; gid_t st_gid; int __pad0; dev_t st_rdev; off_t st_size; blksize_t st_blksize; blkcnt_t st_blocks;
  struct timespec st_atim, st_mtim, st_ctim; long __reserved[3];
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
#define S_ISDIR(m) (((m) & 0170000) == 0040000)
#define S_ISCHR(m) (((m) & 0170000) == 0020000)
#define S_ISBLK(m) (((m) & 0170000) == 0060000)
#define S_ISREG(m) (((m) & 0170000) == 0100000)
#define S_ISFIFO(m) (((m) & 0170000) == 0010000)
#define S_ISLNK(m) (((m) & 0170000) == 0120000)
#define S_ISSOCK(m) (((m) & 0170000) == 0140000)
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
int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int chmod(const char *, mode_t);
mode_t umask(mode_t);
int mkdir(const char *, mode_t);
int mkfifo(const char *, mode_t);
#ifdef __FP_USE_DEFAULT
#define UTIME_NOW 1073741823L
#define UTIME_OMIT 1073741822L
#define S_IFMT 61440
#define S_IFDIR 16384
#define S_IFCHR 8192
#define S_IFBLK 24576
#define S_IFREG 32768
#define S_IFIFO 4096
#define S_IFLNK 40960
#define S_IFSOCK 49152
#define S_ISVTX 512
#define S_IREAD 256
#define S_IWRITE 128
#define S_IEXEC 64
#define ACCESSPERMS 511
#define ALLPERMS 4095
#define DEFFILEMODE 438
#define S_BLKSIZE 512
int fstatat(int, const char *, struct stat *, int);
int lstat(const char *, struct stat *);
int lchmod(const char *, mode_t);
int fchmod(int, mode_t);
int fchmodat(int, const char *, mode_t, int);
int mkdirat(int, const char *, mode_t);
int mknod(const char *, mode_t, dev_t);
int mknodat(int, const char *, mode_t, dev_t);
int mkfifoat(int, const char *, mode_t);
int utimensat(int, const char *, const struct timespec *, int);
int futimens(int, const struct timespec *);
#endif
#ifdef _GNU_SOURCE
int stat64(const char *, struct stat64 *);
int fstat64(int, struct stat64 *);
int fstatat64(int, const char *, struct stat64 *, int);
int lstat64(const char *, struct stat64 *);
mode_t getumask(void);
int statx(int, const char *, int, unsigned int, struct statx *);
#endif
#endif
