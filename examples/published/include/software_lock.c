// What one algorithm sees of the harness of pabuhr/concurrent-locking: a critical section of ours, run once per thread.
// "stop" ends the loop of a thread; it then counts itself as arrived, and waits until all threads have.
static _Thread_local int over;
static _Atomic int all;
static int inside, arrived;

static RTYPE critical_section(void) {
  assert(inside == 0);
  inside = 1;
  assert(inside == 1);
  inside = 0;
  over = 1;
  return 0;
}

#define CS(id) critical_section()
#define stop (over < 2 ? over : all < (int)N)
#define Arrived (*(over < 2 ? (over = 2, all++) : 0, &arrived))
#include xstr(WHICH.c)
#undef stop
#undef Arrived
