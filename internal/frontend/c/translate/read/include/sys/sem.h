#ifndef _FP_SYS_SEM_H
#define _FP_SYS_SEM_H
#include <features.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/types.h>
struct semid_ds { struct ipc_perm sem_perm; long sem_otime; unsigned long __sem_otime_high; long sem_ctime; unsigned long __sem_ctime_high; unsigned long sem_nsems; unsigned long __glibc_reserved3; unsigned long __glibc_reserved4; };
#define SEM_UNDO 4096
#define GETPID 11
#define GETVAL 12
#define GETALL 13
#define GETNCNT 14
#define GETZCNT 15
#define SETVAL 16
#define SETALL 17
#define _SEM_SEMUN_UNDEFINED 1
#define SEM_STAT 18
#define SEM_INFO 19
#define SEM_STAT_ANY 20
struct seminfo { int semmap; int semmni; int semmns; int semmnu; int semmsl; int semopm; int semume; int semusz; int semvmx; int semaem; };
struct sembuf { unsigned short int sem_num; short int sem_op; short int sem_flg; };
int semctl(int, int, int, ...);
int semget(key_t, int, int);
int semop(int, struct sembuf *, size_t);
int semtimedop(int, struct sembuf *, size_t, const struct timespec *);
#endif
