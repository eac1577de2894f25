#ifndef _FP_SYS_RANDOM_H
#define _FP_SYS_RANDOM_H
#include <sys/types.h>
#define GRND_NONBLOCK 1
#define GRND_RANDOM 2
#define GRND_INSECURE 4
ssize_t getrandom(void *, size_t, unsigned int);
int getentropy(void *, size_t);
#endif
