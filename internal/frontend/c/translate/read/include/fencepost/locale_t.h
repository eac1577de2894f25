#ifndef _FP_LOCALE_T_H
#define _FP_LOCALE_T_H
struct __locale_struct { struct __locale_data *__locales[13]; const unsigned short int *__ctype_b; const int *__ctype_tolower; const int *__ctype_toupper; const char *__names[13]; };
typedef struct __locale_struct *locale_t;
#endif
