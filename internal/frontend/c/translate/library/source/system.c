/* What of POSIX needs no other process: a process that is alone, with an empty environment
   and two processors, in which no signal arrives. */
typedef unsigned long size_t;
struct limits { unsigned long now, most; };
void *__fp_pages(size_t, size_t);
void free(void *);

int getpid(void) {
  return 1000;
}

int getppid(void) {
  return 1;
}

unsigned getuid(void) {
  return 1000;
}

unsigned geteuid(void) {
  return 1000;
}

unsigned getgid(void) {
  return 1000;
}

unsigned getegid(void) {
  return 1000;
}

char *strerror(int number) {
  return (char *)"error";
}

/* strerror_r of GNU and of POSIX, by the macros that string.h chooses with. */
char *__fp_strerror_r(int number, char *text, size_t size) {
  return (char *)"error";
}

int __xpg_strerror_r(int number, char *text, size_t size) {
  if (size > 0)
    *text = 0;
  return 0;
}

long sysconf(int name) {
  switch (name) {
  case 2: /* _SC_CLK_TCK */
    return 100;
  case 30: /* _SC_PAGESIZE */
    return 4096;
  case 83: /* _SC_NPROCESSORS_CONF */
  case 84: /* _SC_NPROCESSORS_ONLN */
    return 2;
  case 190: /* _SC_LEVEL1_DCACHE_LINESIZE */
    return 64;
  }
  return -1;
}

int getpagesize(void) {
  return 4096;
}

int get_nprocs(void) {
  return 2;
}

int get_nprocs_conf(void) {
  return 2;
}

int sched_getcpu(void) {
  return 0;
}

/* The generator of glibc: 11, 10 and 10 bits of three numbers. */
int rand_r(unsigned *seed) {
  unsigned next = *seed, result = 0;
  for (int i = 0; i < 3; i++) {
    next = next * 1103515245 + 12345;
    unsigned bits = next / 65536;
    result = i == 0 ? bits % 2048 : result << 10 ^ bits % 1024;
  }
  *seed = next;
  return (int)result;
}

/* No limit. */
int getrlimit(unsigned resource, struct limits *l) {
  l->now = l->most = ~0ul;
  return 0;
}

int setrlimit(unsigned resource, const struct limits *l) {
  return 0;
}

/* Memory without a file. */
void *mmap(void *at, size_t size, int access, int flags, int file, long offset) {
  return flags & 32 ? __fp_pages(1, size) : (void *)-1l;
}

int munmap(void *at, size_t size) {
  free(at);
  return 0;
}

int sigemptyset(unsigned long *set) {
  for (int i = 0; i < 16; i++)
    set[i] = 0;
  return 0;
}

int sigfillset(unsigned long *set) {
  for (int i = 0; i < 16; i++)
    set[i] = ~0ul;
  return 0;
}

int sigaddset(unsigned long *set, int signal) {
  set[(signal - 1) / 64] |= 1ul << (signal - 1) % 64;
  return 0;
}

int sigdelset(unsigned long *set, int signal) {
  set[(signal - 1) / 64] &= ~(1ul << (signal - 1) % 64);
  return 0;
}

int sigismember(const unsigned long *set, int signal) {
  return (int)(set[(signal - 1) / 64] >> (signal - 1) % 64 & 1);
}

/* A handler is never called: no signal arrives, and functions that send one are not supported. */
typedef void (*handler)(int);
handler signal(int number, handler now) {
  return 0;
}

int sigaction(int number, const void *now, void *old) {
  if (old)
    for (int i = 0; i < 19; i++)
      ((long *)old)[i] = 0;
  return 0;
}

int sigprocmask(int how, const unsigned long *set, unsigned long *old) {
  if (old)
    sigemptyset(old);
  return 0;
}

int pthread_sigmask(int how, const unsigned long *set, unsigned long *old) {
  return sigprocmask(how, set, old);
}
