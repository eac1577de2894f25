#ifndef _FP_SYS_MSG_H
#define _FP_SYS_MSG_H
#include <features.h>
#include <stddef.h>
#include <sys/ipc.h>
typedef unsigned long msgqnum_t;
typedef unsigned long msglen_t;
typedef long time_t;
struct msqid_ds { struct ipc_perm msg_perm; long msg_stime; long msg_rtime; long msg_ctime; unsigned long __msg_cbytes; msgqnum_t msg_qnum; msglen_t msg_qbytes; int msg_lspid; int msg_lrpid; unsigned long __glibc_reserved4; unsigned long __glibc_reserved5; };
#define MSG_NOERROR 4096
#define MSG_EXCEPT 8192
#define MSG_COPY 16384
#define msg_cbytes __msg_cbytes
#define MSG_STAT 11
#define MSG_INFO 12
#define MSG_STAT_ANY 13
struct msginfo { int msgpool; int msgmap; int msgmax; int msgmnb; int msgmni; int msgssz; int msgtql; unsigned short int msgseg; };
typedef int pid_t;
typedef long ssize_t;
struct msgbuf { long mtype; char mtext[1]; };
int msgctl(int, int, struct msqid_ds *);
int msgget(key_t, int);
ssize_t msgrcv(int, void *, size_t, long int, int);
int msgsnd(int, const void *, size_t, int);
#endif
