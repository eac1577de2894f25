#ifndef _FP_GRP_H
#define _FP_GRP_H
#include <features.h>
#include <stddef.h>
typedef unsigned int gid_t;
struct group { char *gr_name; char *gr_passwd; unsigned int gr_gid; char **gr_mem; };
#define __FILE_defined 1
struct _IO_FILE;
typedef struct _IO_FILE FILE;
void setgrent(void);
void endgrent(void);
struct group *getgrent(void);
struct group *fgetgrent(FILE *);
int putgrent(const struct group *, FILE *);
struct group *getgrgid(unsigned int);
struct group *getgrnam(const char *);
#define NSS_BUFLEN_GROUP 1024
int getgrent_r(struct group *, char *, size_t, struct group **);
int getgrgid_r(unsigned int, struct group *, char *, size_t, struct group **);
int getgrnam_r(const char *, struct group *, char *, size_t, struct group **);
int fgetgrent_r(FILE *, struct group *, char *, size_t, struct group **);
int setgroups(size_t, const unsigned int *);
int getgrouplist(const char *, unsigned int, unsigned int *, int *);
int initgroups(const char *, unsigned int);
#endif
