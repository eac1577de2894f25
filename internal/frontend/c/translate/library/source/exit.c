/* Functions that run at the end of the program, the last one registered first. A program
   ends while other threads go on, which may register further functions. */
enum { handlers = 32 };
static unsigned exit_count, quick_count;
static void (*exit_handler[handlers])(void);
static void (*quick_handler[handlers])(void);

void _exit(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int registers(unsigned *count, void (**list)(void), void (*handler)(void)) {
  int full;
  __VERIFIER_atomic_begin();
  unsigned n = __atomic_load_n(count, __ATOMIC_RELAXED);
  full = n == handlers;
  if (!full) {
    __atomic_store_n(&list[n], handler, __ATOMIC_RELAXED);
    __atomic_store_n(count, n + 1, __ATOMIC_RELAXED);
  }
  __VERIFIER_atomic_end();
  return -full;
}

static void runs(unsigned *count, void (**list)(void)) {
  for (;;) {
    void (*handler)(void) = 0;
    __VERIFIER_atomic_begin();
    unsigned n = __atomic_load_n(count, __ATOMIC_RELAXED);
    if (n > 0) {
      handler = __atomic_load_n(&list[n - 1], __ATOMIC_RELAXED);
      __atomic_store_n(count, n - 1, __ATOMIC_RELAXED);
    }
    __VERIFIER_atomic_end();
    if (n == 0)
      return;
    handler();
  }
}

int atexit(void (*handler)(void)) {
  return registers(&exit_count, exit_handler, handler);
}

int at_quick_exit(void (*handler)(void)) {
  return registers(&quick_count, quick_handler, handler);
}

void quick_exit(int status) {
  runs(&quick_count, quick_handler);
  _exit(status);
}

void __fp_at_exit(void) {
  runs(&exit_count, exit_handler);
}

/* Whether a function is to run at the end of the program. */
int __fp_ends_late(void) {
  return __atomic_load_n(&exit_count, __ATOMIC_RELAXED) > 0;
}
