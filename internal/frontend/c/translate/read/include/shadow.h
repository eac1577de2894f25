#ifndef _FP_SHADOW_H
#define _FP_SHADOW_H
#include <features.h>
#include <paths.h>
#include <stddef.h>
#define __FILE_defined 1
struct _IO_FILE;
typedef struct _IO_FILE FILE;
#define SHADOW _PATH_SHADOW
struct spwd { char *sp_namp; char *sp_pwdp; long int sp_lstchg; long int sp_min; long int sp_max; long int sp_warn; long int sp_inact; long int sp_expire; unsigned long int sp_flag; };
void setspent(void);
void endspent(void);
struct spwd *getspent(void);
struct spwd *getspnam(const char *);
struct spwd *sgetspent(const char *);
struct spwd *fgetspent(FILE *);
int putspent(const struct spwd *, FILE *);
int getspent_r(struct spwd *, char *, size_t, struct spwd **);
int getspnam_r(const char *, struct spwd *, char *, size_t, struct spwd **);
int sgetspent_r(const char *, struct spwd *, char *, size_t, struct spwd **);
int fgetspent_r(FILE *, struct spwd *, char *, size_t, struct spwd **);
int lckpwdf(void);
int ulckpwdf(void);
#endif
