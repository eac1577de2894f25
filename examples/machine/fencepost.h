// For programs in C and C++ whose machine code fencepost checks. Copy this file into your project: the program also
// runs without fencepost, with the functions below; fencepost puts its own in the place of two of them, by name.
//
//   fencepost_spawn(f, arg)   starts a thread
//   fencepost_join(t)         waits for it
//   fencepost_nondet()        any int: fencepost tries the values of --nondet-range, a run takes a random one
//   fencepost_assume(c)       ends the execution unless c, without an error
//
// assert of <assert.h> is a check; compile without NDEBUG.
#ifndef FENCEPOST_H
#define FENCEPOST_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak, noinline)) int fencepost_nondet(void) { return rand(); }

__attribute__((weak, noinline)) void fencepost_assume(int c) {
  if (!c)
    exit(0);
}

#ifdef __cplusplus
}
#endif

static inline pthread_t fencepost_spawn(void *(*f)(void *), void *arg) {
  pthread_t t;
  if (pthread_create(&t, NULL, f, arg) != 0)
    abort();
  return t;
}

static inline void fencepost_join(pthread_t t) { pthread_join(t, NULL); }

#endif
