#ifndef _FP_UTMPX_H
#define _FP_UTMPX_H
#include <features.h>
#include <sys/time.h>
typedef int pid_t;
#include <paths.h>
#define _PATH_UTMPX _PATH_UTMP
#define _PATH_WTMPX _PATH_WTMP
#define __UT_LINESIZE 32
#define __UT_NAMESIZE 32
#define __UT_HOSTSIZE 256
struct __exit_status { short int e_termination; short int e_exit; };
struct utmpx { short int ut_type; int ut_pid; char ut_line[32] ; char ut_id[4] ; char ut_user[32] ; char ut_host[256] ; struct __exit_status ut_exit; int ut_session; struct { int tv_sec; int tv_usec; } ut_tv; int ut_addr_v6[4]; char __glibc_reserved[20]; };
#define EMPTY 0
#define RUN_LVL 1
#define BOOT_TIME 2
#define NEW_TIME 3
#define OLD_TIME 4
#define INIT_PROCESS 5
#define LOGIN_PROCESS 6
#define USER_PROCESS 7
#define DEAD_PROCESS 8
#define ACCOUNTING 9
#define UTMPX_FILE _PATH_UTMPX
#define UTMPX_FILENAME _PATH_UTMPX
#define WTMPX_FILE _PATH_WTMPX
#define WTMPX_FILENAME _PATH_WTMPX
struct utmp;
void setutxent(void);
void endutxent(void);
struct utmpx *getutxent(void);
struct utmpx *getutxid(const struct utmpx *);
struct utmpx *getutxline(const struct utmpx *);
struct utmpx *pututxline(const struct utmpx *);
int utmpxname(const char *);
void updwtmpx(const char *, const struct utmpx *);
void getutmp(const struct utmpx *, struct utmp *);
void getutmpx(const struct utmp *, struct utmpx *);
#endif
