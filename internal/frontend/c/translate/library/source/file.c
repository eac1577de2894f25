/* Files. Opening one fails or not. What is written goes nowhere, and nothing is read: the
   functions for reading are not supported. */
typedef struct _IO_FILE { int unused; } FILE;
enum { enoent = 2, enomem = 12 };

void *calloc(unsigned long, unsigned long);
void free(void *);
int *__errno_location(void);
_Bool __VERIFIER_nondet_bool(void);

static FILE *opens(int error) {
  if (__VERIFIER_nondet_bool())
    return calloc(1, sizeof(FILE));
  *__errno_location() = error;
  return 0;
}

FILE *fopen(const char *path, const char *mode) {
  return opens(enoent);
}

FILE *fopen64(const char *path, const char *mode) {
  return opens(enoent);
}

FILE *fdopen(int file, const char *mode) {
  return opens(enomem);
}

FILE *tmpfile(void) {
  return opens(enomem);
}

int fclose(FILE *f) {
  if ((unsigned long)f > 3) /* stdin, stdout and stderr */
    free(f);
  return -__VERIFIER_nondet_bool();
}

void setbuf(FILE *f, char *buffer) {
}

void setlinebuf(FILE *f) {
}

int fileno(FILE *f) {
  return (unsigned long)f <= 3 ? (int)(unsigned long)f - 1 : 3;
}
