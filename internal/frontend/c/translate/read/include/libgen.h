#ifndef _FP_LIBGEN_H
#define _FP_LIBGEN_H
char *dirname(char *);
#endif
