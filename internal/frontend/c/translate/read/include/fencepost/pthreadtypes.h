#ifndef _FP_FENCEPOST_PTHREADTYPES_H
#define _FP_FENCEPOST_PTHREADTYPES_H
typedef unsigned long pthread_t;
typedef struct { unsigned long __fp_word, __fp_unused; int __fp_kind; } __attribute__((aligned(8), __fp_size(40))) pthread_mutex_t;
typedef struct { unsigned long __fp_word; } __attribute__((aligned(8), __fp_size(48))) pthread_cond_t;
typedef struct { unsigned long __fp_word; } __attribute__((aligned(8), __fp_size(32))) pthread_barrier_t;
typedef struct { int __fp_word; } __attribute__((aligned(8), __fp_size(56))) pthread_rwlock_t;
typedef volatile int pthread_spinlock_t;
typedef int pthread_once_t;
typedef unsigned pthread_key_t;
typedef struct { int __fp_unused; } __attribute__((aligned(8), __fp_size(56))) pthread_attr_t;
typedef struct { int __fp_kind; } pthread_mutexattr_t;
typedef struct { int __fp_unused; } pthread_condattr_t;
typedef struct { int __fp_unused; } pthread_barrierattr_t;
typedef struct { int __fp_unused; } __attribute__((aligned(8), __fp_size(8))) pthread_rwlockattr_t;
#endif
