#ifndef _FP_STRING_H
#define _FP_STRING_H
#include <features.h>
#include <stddef.h>
#include <locale.h>
#include <strings.h>
#define strdupa(s) __builtin_strcpy(__builtin_alloca(strlen(s) + 1), s)
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int strcoll(const char *, const char *);
size_t strxfrm(char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
size_t strcspn(const char *, const char *);
size_t strspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strstr(const char *, const char *);
char *strtok(char *, const char *);
size_t strlen(const char *);
char *strerror(int);
#ifdef __FP_USE_DEFAULT
void *memccpy(void *, const void *, int, size_t);
int strcoll_l(const char *, const char *, locale_t);
size_t strxfrm_l(char *, const char *, size_t, locale_t);
char *strdup(const char *);
char *strndup(const char *, size_t);
char *strtok_r(char *, const char *, char **);
size_t strnlen(const char *, size_t);
#ifdef _GNU_SOURCE
char *strerror_r(int, char *, size_t);
char *__fp_strerror_r(int, char *, size_t);
#define strerror_r(number, text, size) __fp_strerror_r(number, text, size)
#else
int strerror_r(int, char *, size_t);
int __xpg_strerror_r(int, char *, size_t);
#define strerror_r(number, text, size) __xpg_strerror_r(number, text, size)
#endif
char *strerror_l(int, locale_t);
void explicit_bzero(void *, size_t);
char *strsep(char **, const char *);
char *strsignal(int);
char *stpcpy(char *, const char *);
char *stpncpy(char *, const char *, size_t);
#endif
#ifdef _GNU_SOURCE
void *rawmemchr(const void *, int);
void *memrchr(const void *, int, size_t);
char *strchrnul(const char *, int);
char *strcasestr(const char *, const char *);
void *memmem(const void *, size_t, const void *, size_t);
void *mempcpy(void *, const void *, size_t);
const char *strerrordesc_np(int);
const char *strerrorname_np(int);
const char *sigabbrev_np(int);
const char *sigdescr_np(int);
int strverscmp(const char *, const char *);
char *strfry(char *);
void *memfrob(void *, size_t);
char *basename(const char *);
#endif
#endif
