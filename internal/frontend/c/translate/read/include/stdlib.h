#ifndef _FP_STDLIB_H
#define _FP_STDLIB_H
#include <features.h>
#include <sys/types.h>
#include <alloca.h>
#include <locale.h>
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
struct random_data { int *fptr, *rptr, *state; int rand_type, rand_deg, rand_sep; int *end_ptr; };
struct drand48_data { unsigned short __x[3], __old_x[3], __c, __init; unsigned long long __a; };
typedef int (*comparison_fn_t)(const void *, const void *);
typedef int (*__compar_fn_t)(const void *, const void *);
typedef int (*__compar_d_fn_t)(const void *, const void *, void *);
#define MB_CUR_MAX ((size_t)1)
#define WEXITSTATUS(s) (((s) & 0xff00) >> 8)
#define WTERMSIG(s) ((s) & 0x7f)
#define WSTOPSIG(s) WEXITSTATUS(s)
#define WIFEXITED(s) (WTERMSIG(s) == 0)
#define WIFSIGNALED(s) (((signed char)(((s) & 0x7f) + 1) >> 1) > 0)
#define WIFSTOPPED(s) (((s) & 0xff) == 0x7f)
#define WIFCONTINUED(s) ((s) == 0xffff)
#define WCOREDUMP(s) ((s) & 0x80)
#define RAND_MAX 2147483647
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
double atof(const char *);
int atoi(const char *);
long int atol(const char *);
long long int atoll(const char *);
double strtod(const char *, char **);
float strtof(const char *, char **);
long double strtold(const char *, char **);
long int strtol(const char *, char **, int);
long unsigned int strtoul(const char *, char **, int);
long long int strtoll(const char *, char **, int);
long long unsigned int strtoull(const char *, char **, int);
int rand(void);
void srand(unsigned int);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void *aligned_alloc(size_t, size_t);
void abort(void) __attribute__((__noreturn__));
int atexit(void(*) (void));
int at_quick_exit(void(*) (void));
void exit(int) __attribute__((__noreturn__));
void quick_exit(int) __attribute__((__noreturn__));
void _Exit(int) __attribute__((__noreturn__));
char *getenv(const char *);
int system(const char *);
void *bsearch(const void *, const void *, size_t, size_t, __compar_fn_t);
void qsort(void *, size_t, size_t, __compar_fn_t);
int abs(int);
long int labs(long int);
long long int llabs(long long int);
div_t div(int, int);
ldiv_t ldiv(long int, long int);
lldiv_t lldiv(long long int, long long int);
int mblen(const char *, size_t);
int mbtowc(wchar_t *, const char *, size_t);
int wctomb(char *, wchar_t);
size_t mbstowcs(wchar_t *, const char *, size_t);
size_t wcstombs(char *, const wchar_t *, size_t);
#ifdef __FP_USE_DEFAULT
#define WNOHANG 1
#define WUNTRACED 2
#define WSTOPPED 2
#define WEXITED 4
#define WCONTINUED 8
#define WNOWAIT 16777216
long long int strtoq(const char *, char **, int);
long long unsigned int strtouq(const char *, char **, int);
char *l64a(long int);
long int a64l(const char *);
long int random(void);
void srandom(unsigned int);
char *initstate(unsigned int, char *, size_t);
char *setstate(char *);
int random_r(struct random_data *, int32_t *);
int srandom_r(unsigned int, struct random_data *);
int initstate_r(unsigned int, char *, size_t, struct random_data *);
int setstate_r(char *, struct random_data *);
int rand_r(unsigned int *);
double drand48(void);
double erand48(short unsigned int *);
long int lrand48(void);
long int nrand48(short unsigned int *);
long int mrand48(void);
long int jrand48(short unsigned int *);
void srand48(long int);
short unsigned int *seed48(short unsigned int *);
void lcong48(short unsigned int *);
int drand48_r(struct drand48_data *, double *);
int erand48_r(short unsigned int *, struct drand48_data *, double *);
int lrand48_r(struct drand48_data *, long int *);
int nrand48_r(short unsigned int *, struct drand48_data *, long int *);
int mrand48_r(struct drand48_data *, long int *);
int jrand48_r(short unsigned int *, struct drand48_data *, long int *);
int srand48_r(long int, struct drand48_data *);
int seed48_r(short unsigned int *, struct drand48_data *);
int lcong48_r(short unsigned int *, struct drand48_data *);
unsigned int arc4random(void);
void arc4random_buf(void *, size_t);
unsigned int arc4random_uniform(unsigned int);
void *reallocarray(void *, size_t, size_t);
void *valloc(size_t);
int posix_memalign(void **, size_t, size_t);
int on_exit(void(*) (int, void *), void *);
int putenv(char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
int clearenv(void);
char *mktemp(char *);
int mkstemp(char *);
int mkstemps(char *, int);
char *mkdtemp(char *);
char *realpath(const char *, char *);
char *ecvt(double, int, int *, int *);
char *fcvt(double, int, int *, int *);
char *gcvt(double, int, char *);
char *qecvt(long double, int, int *, int *);
char *qfcvt(long double, int, int *, int *);
char *qgcvt(long double, int, char *);
int ecvt_r(double, int, int *, int *, char *, size_t);
int fcvt_r(double, int, int *, int *, char *, size_t);
int qecvt_r(long double, int, int *, int *, char *, size_t);
int qfcvt_r(long double, int, int *, int *, char *, size_t);
int rpmatch(const char *);
int getsubopt(char **, char *const *, char **);
int getloadavg(double *, int);
#endif
#ifdef _GNU_SOURCE
int strfromd(char *, size_t, const char *, double);
int strfromf(char *, size_t, const char *, float);
int strfroml(char *, size_t, const char *, long double);
long int strtol_l(const char *, char **, int, locale_t);
long unsigned int strtoul_l(const char *, char **, int, locale_t);
long long int strtoll_l(const char *, char **, int, locale_t);
long long unsigned int strtoull_l(const char *, char **, int, locale_t);
double strtod_l(const char *, char **, locale_t);
float strtof_l(const char *, char **, locale_t);
long double strtold_l(const char *, char **, locale_t);
char *secure_getenv(const char *);
int mkstemp64(char *);
int mkstemps64(char *, int);
int mkostemp(char *, int);
int mkostemp64(char *, int);
int mkostemps(char *, int, int);
int mkostemps64(char *, int, int);
char *canonicalize_file_name(const char *);
void qsort_r(void *, size_t, size_t, __compar_d_fn_t, void *);
int posix_openpt(int);
int grantpt(int);
int unlockpt(int);
char *ptsname(int);
int ptsname_r(int, char *, size_t);
int getpt(void);
#endif
#endif
