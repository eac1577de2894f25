#ifndef _FP_DLFCN_H
#define _FP_DLFCN_H
#include <features.h>
#include <stddef.h>
typedef struct { const char *dli_fname; void *dli_fbase; const char *dli_sname; void *dli_saddr; } Dl_info;
typedef long Lmid_t;
struct dl_find_object { unsigned long long dlfo_flags; void *dlfo_map_start, *dlfo_map_end; void *dlfo_link_map, *dlfo_eh_frame; unsigned long long __dlfo_reserved[7]; };
#define RTLD_NEXT ((void *)-1l)
#define RTLD_DEFAULT ((void *)0)
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_BINDING_MASK 3
#define RTLD_NOLOAD 4
#define RTLD_DEEPBIND 8
#define RTLD_GLOBAL 256
#define RTLD_LOCAL 0
#define RTLD_NODELETE 4096
void *dlopen(const char *, int);
int dlclose(void *);
void *dlsym(void *, const char *);
char *dlerror(void);
#ifdef _GNU_SOURCE
#define DLFO_STRUCT_HAS_EH_DBASE 0
#define DLFO_STRUCT_HAS_EH_COUNT 0
#define LM_ID_BASE 0
#define LM_ID_NEWLM (-1)
void *dlmopen(Lmid_t, const char *, int);
void *dlvsym(void *, const char *, const char *);
int dladdr(const void *, Dl_info *);
int dladdr1(const void *, Dl_info *, void **, int);
int dlinfo(void *, int, void *);
#endif
#endif
