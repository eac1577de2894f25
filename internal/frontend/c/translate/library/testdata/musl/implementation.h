/* The folder of musl's src/thread must be among those of included files. */
#include "pthread_impl.h"

/* musl's sources call functions that other sources define. */
int musl_mutex_lock(musl_mutex_t *);
int musl_mutex_unlock(musl_mutex_t *);
int musl_mutex_trylock(musl_mutex_t *);
int musl_mutex_timedlock(musl_mutex_t *, const struct timespec *);
int musl_cond_timedwait(musl_cond_t *, musl_mutex_t *, const struct timespec *);
int musl_rwlock_tryrdlock(musl_rwlock_t *);
int musl_rwlock_trywrlock(musl_rwlock_t *);
int musl_rwlock_timedrdlock(musl_rwlock_t *, const struct timespec *);
int musl_rwlock_timedwrlock(musl_rwlock_t *, const struct timespec *);
int musl_sem_trywait(musl_sem_t *);
int musl_sem_timedwait(musl_sem_t *, const struct timespec *);

#include "__wait.c"
#include "__timedwait.c"
#include "pthread_mutexattr_init.c"
#include "pthread_mutexattr_settype.c"
#include "pthread_mutex_init.c"
#include "pthread_mutex_trylock.c"
#include "pthread_mutex_timedlock.c"
#include "pthread_mutex_lock.c"
#include "pthread_mutex_unlock.c"
#include "pthread_mutex_destroy.c"
#include "pthread_cond_init.c"
#include "pthread_cond_timedwait.c"
#include "pthread_cond_wait.c"
#include "pthread_cond_signal.c"
#include "pthread_cond_broadcast.c"
#include "pthread_rwlock_init.c"
#include "pthread_rwlock_tryrdlock.c"
#include "pthread_rwlock_trywrlock.c"
#include "pthread_rwlock_timedrdlock.c"
#include "pthread_rwlock_timedwrlock.c"
#include "pthread_rwlock_rdlock.c"
#include "pthread_rwlock_wrlock.c"
#include "pthread_rwlock_unlock.c"
#include "sem_init.c"
#include "sem_trywait.c"
#include "sem_timedwait.c"
#include "sem_wait.c"
#include "sem_post.c"
#include "sem_getvalue.c"
#include "pthread_barrier_init.c"
#include "pthread_barrier_wait.c"
#include "pthread_once.c"

/* What programs use of the model. */
#undef pthread_t
