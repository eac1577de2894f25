#ifndef _FP_LINK_H
#define _FP_LINK_H
#include <features.h>
#include <elf.h>
#include <dlfcn.h>
#include <sys/types.h>
#define ElfW(type) _ElfW (Elf, __ELF_NATIVE_CLASS, type)
#define _ElfW(e,w,t) _ElfW_1 (e, w, _ ##t)
#define _ElfW_1(e,w,t) e ##w ##t
#define __ELF_NATIVE_CLASS 64
typedef uint32_t Elf_Symndx;
typedef float La_x86_64_xmm __attribute__((__vector_size__(16)));
typedef float La_x86_64_ymm __attribute__((__vector_size__(32), __aligned__(16)));
typedef double La_x86_64_zmm __attribute__((__vector_size__(64), __aligned__(16)));
typedef union { La_x86_64_ymm ymm[2]; La_x86_64_zmm zmm[1]; La_x86_64_xmm xmm[4]; } La_x86_64_vector __attribute__((aligned(16)));
typedef struct La_x86_64_regs { uint64_t lr_rdx; uint64_t lr_r8; uint64_t lr_r9; uint64_t lr_rcx; uint64_t lr_rsi; uint64_t lr_rdi; uint64_t lr_rbp; uint64_t lr_rsp; La_x86_64_xmm lr_xmm[8]; La_x86_64_vector lr_vector[8]; __int128_t __glibc_unused1[4]; } La_x86_64_regs;
typedef struct La_x86_64_retval { uint64_t lrv_rax; uint64_t lrv_rdx; La_x86_64_xmm lrv_xmm0; La_x86_64_xmm lrv_xmm1; long double lrv_st0; long double lrv_st1; La_x86_64_vector lrv_vector0; La_x86_64_vector lrv_vector1; __int128_t __glibc_unused1; __int128_t __glibc_unused2; } La_x86_64_retval;
#define La_x32_regs La_x86_64_regs
#define La_x32_retval La_x86_64_retval
Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *, unsigned int, uintptr_t *, uintptr_t *, La_x86_64_regs *, unsigned int *, const char *, long int *);
unsigned int la_x86_64_gnu_pltexit(Elf64_Sym *, unsigned int, uintptr_t *, uintptr_t *, const La_x86_64_regs *, La_x86_64_retval *, const char *);
Elf32_Addr la_x32_gnu_pltenter(Elf32_Sym *, unsigned int, uintptr_t *, uintptr_t *, La_x86_64_regs *, unsigned int *, const char *, long int *);
unsigned int la_x32_gnu_pltexit(Elf32_Sym *, unsigned int, uintptr_t *, uintptr_t *, const La_x86_64_regs *, La_x86_64_retval *, const char *);
struct r_debug { int r_version; struct link_map *r_map; Elf64_Addr r_brk; enum { RT_CONSISTENT, RT_ADD, RT_DELETE } r_state; Elf64_Addr r_ldbase; };
extern struct r_debug _r_debug;
struct r_debug_extended { struct r_debug base; struct r_debug_extended *r_next; };
extern Elf64_Dyn _DYNAMIC[];
struct link_map { Elf64_Addr l_addr; char *l_name; Elf64_Dyn *l_ld; struct link_map *l_next, *l_prev; };
#define LAV_CURRENT 2
enum { LA_ACT_CONSISTENT, LA_ACT_ADD, LA_ACT_DELETE };
enum { LA_SER_ORIG = 0x01, LA_SER_LIBPATH = 0x02, LA_SER_RUNPATH = 0x04, LA_SER_CONFIG = 0x08, LA_SER_DEFAULT = 0x40, LA_SER_SECURE = 0x80 };
enum { LA_FLG_BINDTO = 0x01, LA_FLG_BINDFROM = 0x02 };
enum { LA_SYMB_NOPLTENTER = 0x01, LA_SYMB_NOPLTEXIT = 0x02, LA_SYMB_STRUCTCALL = 0x04, LA_SYMB_DLSYM = 0x08, LA_SYMB_ALTVALUE = 0x10 };
struct dl_phdr_info { Elf64_Addr dlpi_addr; const char *dlpi_name; const Elf64_Phdr *dlpi_phdr; Elf64_Half dlpi_phnum; unsigned long long int dlpi_adds; unsigned long long int dlpi_subs; size_t dlpi_tls_modid; void *dlpi_tls_data; };
int dl_iterate_phdr (int (*) (struct dl_phdr_info *, size_t, void *), void *);
unsigned int la_version(unsigned int);
void la_activity(uintptr_t *, unsigned int);
char *la_objsearch(const char *, uintptr_t *, unsigned int);
unsigned int la_objopen(struct link_map *, Lmid_t, uintptr_t *);
void la_preinit(uintptr_t *);
uintptr_t la_symbind32(Elf32_Sym *, unsigned int, uintptr_t *, uintptr_t *, unsigned int *, const char *);
uintptr_t la_symbind64(Elf64_Sym *, unsigned int, uintptr_t *, uintptr_t *, unsigned int *, const char *);
unsigned int la_objclose(uintptr_t *);
#endif
