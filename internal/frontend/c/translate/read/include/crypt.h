#ifndef _FP_CRYPT_H
#define _FP_CRYPT_H
#include <features.h>
#define CRYPT_OUTPUT_SIZE 384
#define CRYPT_MAX_PASSPHRASE_SIZE 512
#define CRYPT_GENSALT_OUTPUT_SIZE 192
char *crypt(const char *, const char *);
#define CRYPT_DATA_RESERVED_SIZE 767
#define CRYPT_DATA_INTERNAL_SIZE 30720
struct crypt_data { char output[384]; char setting[384]; char input[512]; char reserved[767]; char initialized; char internal[30720]; };
char *crypt_r(const char *, const char *, struct crypt_data *);
char *crypt_rn(const char *, const char *, void *, int);
char *crypt_ra(const char *, const char *, void **, int *);
char *crypt_gensalt(const char *, unsigned long, const char *, int);
char *crypt_gensalt_rn(const char *, unsigned long, const char *, int, char *, int);
char * crypt_gensalt_r(const char *, unsigned long, const char *, int, char *, int);
char *crypt_gensalt_ra(const char *, unsigned long, const char *, int);
int crypt_checksalt(const char *);
#define CRYPT_SALT_OK 0
#define CRYPT_SALT_INVALID 1
#define CRYPT_SALT_METHOD_DISABLED 2
#define CRYPT_SALT_METHOD_LEGACY 3
#define CRYPT_SALT_TOO_CHEAP 4
extern const char *crypt_preferred_method(void);
#define CRYPT_GENSALT_IMPLEMENTS_DEFAULT_PREFIX 1
#define CRYPT_GENSALT_IMPLEMENTS_AUTO_ENTROPY 1
#define CRYPT_CHECKSALT_AVAILABLE 1
#define CRYPT_PREFERRED_METHOD_AVAILABLE 1
#define XCRYPT_VERSION_MAJOR 4
#define XCRYPT_VERSION_MINOR 4
#define XCRYPT_VERSION_NUM 262148
#define XCRYPT_VERSION_STR "4.4.33"
#endif
