#ifndef _FP_SYS_SHM_H
#define _FP_SYS_SHM_H
#include <features.h>
#include <sys/ipc.h>
typedef unsigned long shmatt_t;
struct shmid_ds { struct ipc_perm shm_perm; size_t shm_segsz; time_t shm_atime, shm_dtime, shm_ctime; pid_t shm_cpid, shm_lpid; shmatt_t shm_nattch; unsigned long __reserved[2]; };
#define SHM_R 256
#define SHM_W 128
#define SHM_RDONLY 4096
#define SHM_RND 8192
#define SHM_REMAP 16384
#define SHM_EXEC 32768
#define SHM_LOCK 11
#define SHM_UNLOCK 12
int shmctl(int, int, struct shmid_ds *);
int shmget(key_t, size_t, int);
void *shmat(int, const void *, int);
int shmdt(const void *);
#ifdef __FP_USE_DEFAULT
#define SHM_STAT 13
#define SHM_INFO 14
#define SHM_STAT_ANY 15
#define SHM_DEST 512
#define SHM_LOCKED 1024
#define SHM_HUGETLB 2048
#define SHM_NORESERVE 4096
#endif
#endif
