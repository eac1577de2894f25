#ifndef _FP_DIRENT_H
#define _FP_DIRENT_H
#include <features.h>
#include <sys/types.h>
struct dirent { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
struct dirent64 { ino_t d_ino; off_t d_off; unsigned short d_reclen; unsigned char d_type; char d_name[256]; };
typedef struct __dirstream DIR;
int closedir(DIR *);
DIR *opendir(const char *);
struct dirent *readdir(DIR *);
void rewinddir(DIR *);
#ifdef __FP_USE_DEFAULT
#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12
#define DT_WHT 14
#define PTHREAD_KEYS_MAX 1024
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define AIO_PRIO_DELTA_MAX 20
#define PTHREAD_STACK_MIN 16384
#define DELAYTIMER_MAX 2147483647
#define TTY_NAME_MAX 32
#define LOGIN_NAME_MAX 256
#define HOST_NAME_MAX 64
#define MQ_PRIO_MAX 32768
#define SEM_VALUE_MAX 2147483647
#define MAXNAMLEN 255
DIR *fdopendir(int);
int readdir_r(DIR *, struct dirent *, struct dirent **);
void seekdir(DIR *, long int);
long int telldir(DIR *);
int dirfd(DIR *);
int scandir(const char *, struct dirent ***, int(*) (const struct dirent *), int(*) (const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **, const struct dirent **);
ssize_t getdirentries(int, char *, size_t, off_t *);
#endif
#ifdef _GNU_SOURCE
struct dirent64 *readdir64(DIR *);
int readdir64_r(DIR *, struct dirent64 *, struct dirent64 **);
int scandir64(const char *, struct dirent64 ***, int(*) (const struct dirent64 *), int(*) (const struct dirent64 **, const struct dirent64 **));
int scandirat(int, const char *, struct dirent ***, int(*) (const struct dirent *), int(*) (const struct dirent **, const struct dirent **));
int scandirat64(int, const char *, struct dirent64 ***, int(*) (const struct dirent64 *), int(*) (const struct dirent64 **, const struct dirent64 **));
int alphasort64(const struct dirent64 **, const struct dirent64 **);
ssize_t getdirentries64(int, char *, size_t, off_t *);
int versionsort(const struct dirent **, const struct dirent **);
int versionsort64(const struct dirent64 **, const struct dirent64 **);
ssize_t getdents64(int, void *, size_t);
#endif
#endif
