#ifndef _FP_FEATURES_H
#define _FP_FEATURES_H
#ifdef _GNU_SOURCE
#undef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#undef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#if !defined __STRICT_ANSI__ || defined _DEFAULT_SOURCE || defined _BSD_SOURCE || defined _SVID_SOURCE || defined _POSIX_SOURCE || defined _POSIX_C_SOURCE || defined _XOPEN_SOURCE
#define __FP_USE_DEFAULT 1
#endif
#if !defined __STRICT_ANSI__ && !defined _DEFAULT_SOURCE && !defined _POSIX_C_SOURCE && !defined _XOPEN_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#if defined __FP_USE_DEFAULT && !defined _POSIX_C_SOURCE
#define _POSIX_SOURCE 1
#define _POSIX_C_SOURCE 200809L
#endif
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 36
#define __GNU_LIBRARY__ 6
#define __GLIBC_PREREQ(major, minor) ((2 << 16) + 36 >= ((major) << 16) + (minor))
#define __GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#include <sys/cdefs.h>
#endif
