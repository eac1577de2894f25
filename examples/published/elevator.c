// The elevator lock: the leader gives up the fast lock and looks whether somebody applied, without a fence between.
// source: pabuhr/concurrent-locking f32f830c
// flags: -I pabuhr/concurrent-locking -D WHICH=ElevatorLinear -D WCasLF
// answers: sc=safe tso=unsafe
// repair: pabuhr/concurrent-locking/ElevatorLinear.c s/^#define unlock() fast = false/#define unlock() do { fast = false; Fence(); } while (0)/
// repaired: sc=safe tso=safe
#include "mutual_exclusion.c"
