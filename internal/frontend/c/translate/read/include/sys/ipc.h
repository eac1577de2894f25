#ifndef _FP_SYS_IPC_H
#define _FP_SYS_IPC_H
#include <features.h>
#include <sys/types.h>
struct ipc_perm { key_t __key; uid_t uid; gid_t gid; uid_t cuid; gid_t cgid; mode_t mode; unsigned short __seq, __pad2; unsigned long __reserved[2]; };
#define IPC_CREAT 512
#define IPC_EXCL 1024
#define IPC_NOWAIT 2048
#define IPC_RMID 0
#define IPC_SET 1
#define IPC_STAT 2
#define IPC_PRIVATE 0
key_t ftok(const char *, int);
#ifdef _GNU_SOURCE
#define IPC_INFO 3
#endif
#endif
