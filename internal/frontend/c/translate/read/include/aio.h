#ifndef _FP_AIO_H
#define _FP_AIO_H
#include <features.h>
#include <sys/types.h>
#include <signal.h>
typedef union sigval __sigval_t;
#define __SIGEV_MAX_SIZE 64
#define sigev_notify_function _sigev_un._sigev_thread._function
#define sigev_notify_attributes _sigev_un._sigev_thread._attribute
#define SIGEV_SIGNAL SIGEV_SIGNAL
#define SIGEV_NONE SIGEV_NONE
#define SIGEV_THREAD SIGEV_THREAD
#define SIGEV_THREAD_ID SIGEV_THREAD_ID
enum { SIGEV_SIGNAL = 0, SIGEV_NONE, SIGEV_THREAD, SIGEV_THREAD_ID = 4 };
struct aiocb { int aio_fildes; int aio_lio_opcode; int aio_reqprio; volatile void *aio_buf; size_t aio_nbytes; struct sigevent aio_sigevent; struct aiocb *__next_prio; int __abs_prio; int __policy; int __error_code; long __return_value; long aio_offset; char __pad[sizeof (long) - sizeof (long)]; char __glibc_reserved[32]; };
struct aiocb64 { int aio_fildes; int aio_lio_opcode; int aio_reqprio; volatile void *aio_buf; size_t aio_nbytes; struct sigevent aio_sigevent; struct aiocb *__next_prio; int __abs_prio; int __policy; int __error_code; long __return_value; long aio_offset; char __glibc_reserved[32]; };
struct aioinit { int aio_threads; int aio_num; int aio_locks; int aio_usedba; int aio_debug; int aio_numusers; int aio_idle_time; int aio_reserved; };
#define AIO_CANCELED AIO_CANCELED
#define AIO_NOTCANCELED AIO_NOTCANCELED
#define AIO_ALLDONE AIO_ALLDONE
enum { AIO_CANCELED, AIO_NOTCANCELED, AIO_ALLDONE };
#define LIO_READ LIO_READ
#define LIO_WRITE LIO_WRITE
#define LIO_NOP LIO_NOP
enum { LIO_READ, LIO_WRITE, LIO_NOP };
#define LIO_WAIT LIO_WAIT
#define LIO_NOWAIT LIO_NOWAIT
enum { LIO_WAIT, LIO_NOWAIT };
void aio_init(const struct aioinit *);
int aio_read(struct aiocb *);
int aio_write(struct aiocb *);
int lio_listio(int, struct aiocb *const [], int, struct sigevent *);
int aio_error(const struct aiocb *);
long aio_return(struct aiocb *);
int aio_cancel(int, struct aiocb *);
int aio_suspend(const struct aiocb *const [], int, const struct timespec *);
int aio_fsync(int, struct aiocb *);
int aio_read64(struct aiocb64 *);
int aio_write64(struct aiocb64 *);
int lio_listio64(int, struct aiocb64 *const [], int, struct sigevent *);
int aio_error64(const struct aiocb64 *);
long aio_return64(struct aiocb64 *);
int aio_cancel64(int, struct aiocb64 *);
int aio_suspend64(const struct aiocb64 *const [], int, const struct timespec *);
int aio_fsync64(int, struct aiocb64 *);
#endif
