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
#ifdef _GNU_SOURCE
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
