#ifndef _FP_CTYPE_H
#define _FP_CTYPE_H
#include <features.h>
#include <fencepost/locale_t.h>
int isalnum(int);
int isalpha(int);
int iscntrl(int);
int isdigit(int);
int islower(int);
int isgraph(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
int isblank(int);
#ifdef __FP_USE_DEFAULT
int isascii(int);
int toascii(int);
int _toupper(int);
int _tolower(int);
int isalnum_l(int, locale_t);
int isalpha_l(int, locale_t);
int iscntrl_l(int, locale_t);
int isdigit_l(int, locale_t);
int islower_l(int, locale_t);
int isgraph_l(int, locale_t);
int isprint_l(int, locale_t);
int ispunct_l(int, locale_t);
int isspace_l(int, locale_t);
int isupper_l(int, locale_t);
int isxdigit_l(int, locale_t);
int isblank_l(int, locale_t);
int tolower_l(int, locale_t);
int toupper_l(int, locale_t);
#endif
#ifdef _GNU_SOURCE
int isctype(int, int);
#endif
#endif
