#ifndef _FP_SYS_XATTR_H
#define _FP_SYS_XATTR_H
#include <features.h>
#include <sys/types.h>
#define XATTR_CREATE XATTR_CREATE
#define XATTR_REPLACE XATTR_REPLACE
enum { XATTR_CREATE = 1, XATTR_REPLACE = 2 };
int setxattr(const char *, const char *, const void *, size_t, int);
int lsetxattr(const char *, const char *, const void *, size_t, int);
int fsetxattr(int, const char *, const void *, size_t, int);
ssize_t getxattr(const char *, const char *, void *, size_t);
ssize_t lgetxattr(const char *, const char *, void *, size_t);
ssize_t fgetxattr(int, const char *, void *, size_t);
ssize_t listxattr(const char *, char *, size_t);
ssize_t llistxattr(const char *, char *, size_t);
ssize_t flistxattr(int, char *, size_t);
int removexattr(const char *, const char *);
int lremovexattr(const char *, const char *);
int fremovexattr(int, const char *);
#endif
