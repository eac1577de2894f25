#ifndef _FP_SYS_UTSNAME_H
#define _FP_SYS_UTSNAME_H
#include <features.h>
struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };
int uname(struct utsname *);
#ifdef __FP_USE_DEFAULT
#define SYS_NMLN 65
#endif
#endif
