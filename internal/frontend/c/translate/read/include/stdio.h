#ifndef _FP_STDIO_H
#define _FP_STDIO_H
#include <stddef.h>
typedef struct { int __fp_unused; } FILE;
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
#define EOF (-1)
int printf(const char *, ...);
int fprintf(FILE *, const char *, ...);
int puts(const char *);
int putchar(int);
int fputs(const char *, FILE *);
int fflush(FILE *);
void perror(const char *);
#endif
