// What one barrier sees of the harness of pabuhr/concurrent-locking: "stop" ends the loop of the first thread after one
// round, and all threads wait until all have arrived. The harness checks the barrier, and calls abort if it fails.
static _Thread_local int calls;
static _Atomic int all;
static int arrived;

#define stop (calls >= 0 ? ++calls > 1 : all < (int)N)
#define Arrived (*(calls >= 0 ? (calls = -1, all++) : 0, &arrived))
#define abort() assert(0)
#include xstr(WHICH.c)
#undef stop
#undef Arrived
#undef abort
