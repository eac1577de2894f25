#ifndef _FP_SYS_MMAN_H
#define _FP_SYS_MMAN_H
#include <features.h>
#include <sys/types.h>
#define MAP_FAILED ((void *)-1)
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define PROT_NONE 0
#define PROT_GROWSDOWN 16777216
#define PROT_GROWSUP 33554432
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MS_ASYNC 1
#define MS_SYNC 4
#define MS_INVALIDATE 2
#define MCL_CURRENT 1
#define MCL_FUTURE 2
#define MCL_ONFAULT 4
void *mmap(void *, size_t, int, int, int, off_t);
int munmap(void *, size_t);
int mprotect(void *, size_t, int);
int msync(void *, size_t, int);
int mlock(const void *, size_t);
int munlock(const void *, size_t);
int mlockall(int);
int munlockall(void);
int shm_open(const char *, int, mode_t);
int shm_unlink(const char *);
#ifdef __FP_USE_DEFAULT
#define MAP_32BIT 64
#define MAP_GROWSDOWN 256
#define MAP_DENYWRITE 2048
#define MAP_EXECUTABLE 4096
#define MAP_LOCKED 8192
#define MAP_NORESERVE 16384
#define MAP_POPULATE 32768
#define MAP_NONBLOCK 65536
#define MAP_STACK 131072
#define MAP_HUGETLB 262144
#define MAP_SYNC 524288
#define MAP_FIXED_NOREPLACE 1048576
#define MAP_SHARED_VALIDATE 3
#define MAP_TYPE 15
#define MAP_FILE 0
#define MAP_ANONYMOUS 32
#define MAP_ANON 32
#define MAP_HUGE_SHIFT 26
#define MAP_HUGE_MASK 63
#define MADV_NORMAL 0
#define MADV_RANDOM 1
#define MADV_SEQUENTIAL 2
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MADV_FREE 8
#define MADV_REMOVE 9
#define MADV_DONTFORK 10
#define MADV_DOFORK 11
#define MADV_MERGEABLE 12
#define MADV_UNMERGEABLE 13
#define MADV_HUGEPAGE 14
#define MADV_NOHUGEPAGE 15
#define MADV_DONTDUMP 16
#define MADV_DODUMP 17
#define MADV_WIPEONFORK 18
#define MADV_KEEPONFORK 19
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#define MADV_DONTNEED_LOCKED 24
#define MADV_HWPOISON 100
#define POSIX_MADV_NORMAL 0
#define POSIX_MADV_RANDOM 1
#define POSIX_MADV_SEQUENTIAL 2
#define POSIX_MADV_WILLNEED 3
#define POSIX_MADV_DONTNEED 4
int madvise(void *, size_t, int);
int posix_madvise(void *, size_t, int);
int mincore(void *, size_t, unsigned char *);
#endif
#ifdef _GNU_SOURCE
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2
#define MREMAP_DONTUNMAP 4
#define MFD_CLOEXEC 1U
#define MFD_ALLOW_SEALING 2U
#define MFD_HUGETLB 4U
#define MLOCK_ONFAULT 1U
#define PKEY_DISABLE_ACCESS 1
#define PKEY_DISABLE_WRITE 2
int memfd_create(const char *, unsigned int);
int mlock2(const void *, size_t, unsigned int);
int pkey_alloc(unsigned int, unsigned int);
int pkey_set(int, unsigned int);
int pkey_get(int);
int pkey_free(int);
int pkey_mprotect(void *, size_t, int, int);
void *mmap64(void *, size_t, int, int, int, off_t);
void *mremap(void *, size_t, size_t, int, ...);
int remap_file_pages(void *, size_t, int, size_t, int);
ssize_t process_madvise(int, const struct iovec *, size_t, int, unsigned int);
int process_mrelease(int, unsigned int);
#endif
#endif
