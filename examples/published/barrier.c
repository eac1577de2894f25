// A barrier, in the harness of its repository: -D WHICH=BarrierDissem, -D THREADS=3. No error was found.
// source: pabuhr/concurrent-locking f32f830c
// flags: -I pabuhr/concurrent-locking -D BARRIER
// answers: sc=safe tso=safe
#ifndef WHICH
#define WHICH BarrierTree1
#endif
#ifndef THREADS
#define THREADS 2
#endif
#define Algorithm software_barrier
#define main harness_main
#define CS_DELAY 0
#define FREQ 0
#include "pabuhr/concurrent-locking/Harness.c"
#undef main

int main(void) {
  static uint64_t counts[THREADS], *rows[1] = {counts};
  pthread_t t[THREADS];
  N = Threads = THREADS;
  RUNS = 1;
  entries = rows;
  ctor();
  for (size_t i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, Worker, (void *)i);
  for (size_t i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
  dtor();
}
