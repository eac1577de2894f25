#ifndef _FP_PWD_H
#define _FP_PWD_H
#include <features.h>
#include <stddef.h>
typedef unsigned int gid_t;
typedef unsigned int uid_t;
struct passwd { char *pw_name; char *pw_passwd; unsigned int pw_uid; unsigned int pw_gid; char *pw_gecos; char *pw_dir; char *pw_shell; };
#define __FILE_defined 1
struct _IO_FILE;
typedef struct _IO_FILE FILE;
void setpwent(void);
void endpwent(void);
struct passwd *getpwent(void);
struct passwd *fgetpwent(FILE *);
int putpwent(const struct passwd *, FILE *);
struct passwd *getpwuid(unsigned int);
struct passwd *getpwnam(const char *);
#define NSS_BUFLEN_PASSWD 1024
int getpwent_r(struct passwd *, char *, size_t, struct passwd **);
int getpwuid_r(unsigned int, struct passwd *, char *, size_t, struct passwd **);
int getpwnam_r(const char *, struct passwd *, char *, size_t, struct passwd **);
int fgetpwent_r(FILE *, struct passwd *, char *, size_t, struct passwd **);
int getpw(unsigned int, char *);
#endif
