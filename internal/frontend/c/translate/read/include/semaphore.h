#ifndef _FP_SEMAPHORE_H
#define _FP_SEMAPHORE_H
#include <features.h>
#include <sys/types.h>
#include <fencepost/timespec.h>
typedef struct { int __fp_word; } __attribute__((aligned(8), __fp_size(32))) sem_t;
#define SEM_FAILED ((sem_t *)0)
#define SEM_VALUE_MAX 2147483647
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
#ifdef __FP_USE_DEFAULT
int sem_timedwait(sem_t *, const struct timespec *);
#endif
#ifdef _GNU_SOURCE
int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
#endif
#endif
