#ifndef _FP_STDARG_H
#define _FP_STDARG_H
char *__fp_varargs(void);
typedef char *va_list;
typedef va_list __builtin_va_list;
typedef va_list __gnuc_va_list;
#define va_start(ap, last) ((void)((ap) = __fp_varargs()))
#define va_arg(ap, type) (*(type *)(((ap) += 8) - 8))
#define va_copy(to, from) ((void)((to) = (from)))
#define va_end(ap) ((void)(ap))
#define __builtin_va_start(ap, last) va_start(ap, last)
#define __builtin_va_arg(ap, type) va_arg(ap, type)
#define __builtin_va_copy(to, from) va_copy(to, from)
#define __builtin_va_end(ap) va_end(ap)
#endif
