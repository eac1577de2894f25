#ifndef _FP_THREADS_H
#define _FP_THREADS_H
#include <time.h>
#if __STDC_VERSION__ < 202000L
#define thread_local _Thread_local
#endif
typedef unsigned long thrd_t;
typedef int (*thrd_start_t)(void *);
typedef struct { unsigned long __fp_word, __fp_unused; int __fp_kind; } __attribute__((aligned(8), __fp_size(40))) mtx_t;
typedef struct { unsigned long __fp_word; } __attribute__((aligned(8), __fp_size(48))) cnd_t;
typedef struct { int __fp_word; } once_flag;
typedef unsigned tss_t;
typedef void (*tss_dtor_t)(void *);
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
enum { mtx_plain, mtx_recursive, mtx_timed };
#define ONCE_FLAG_INIT { 0 }
#define TSS_DTOR_ITERATIONS 4
int thrd_create(thrd_t *, thrd_start_t, void *);
int thrd_join(thrd_t, int *);
void thrd_exit(int) __attribute__((__noreturn__));
thrd_t thrd_current(void);
int thrd_equal(thrd_t, thrd_t);
int thrd_detach(thrd_t);
int thrd_sleep(const struct timespec *, struct timespec *);
void thrd_yield(void);
int mtx_init(mtx_t *, int);
int mtx_lock(mtx_t *);
int mtx_trylock(mtx_t *);
int mtx_timedlock(mtx_t *, const struct timespec *);
int mtx_unlock(mtx_t *);
void mtx_destroy(mtx_t *);
int cnd_init(cnd_t *);
int cnd_wait(cnd_t *, mtx_t *);
int cnd_timedwait(cnd_t *, mtx_t *, const struct timespec *);
int cnd_signal(cnd_t *);
int cnd_broadcast(cnd_t *);
void cnd_destroy(cnd_t *);
void call_once(once_flag *, void (*)(void));
int tss_create(tss_t *, tss_dtor_t);
void tss_delete(tss_t);
void *tss_get(tss_t);
int tss_set(tss_t, void *);
#endif
