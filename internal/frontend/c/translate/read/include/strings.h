#ifndef _FP_STRINGS_H
#define _FP_STRINGS_H
#include <features.h>
#include <stddef.h>
#include <locale.h>
int bcmp(const void *, const void *, size_t);
void bcopy(const void *, void *, size_t);
void bzero(void *, size_t);
char *index(const char *, int);
char *rindex(const char *, int);
int ffs(int);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
#ifdef __FP_USE_DEFAULT
int ffsl(long int);
int ffsll(long long int);
int strcasecmp_l(const char *, const char *, locale_t);
int strncasecmp_l(const char *, const char *, size_t, locale_t);
#endif
#endif
