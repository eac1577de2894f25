// Package robust decides robustness against TSO or PSO: whether every execution of a
// flat program has the trace of some sequentially consistent one [BDM13].
//
// A program is not robust exactly if some attack is feasible [BDM13 Thm 1]: a
// thread delays a store past a later load, or under PSO past a later store, and the others provide a
// happens-before path from there back to the store. All of it happens under SC but for
// the attacker's delayed stores, which no other thread sees, so SC reachability
// decides it.
//
// Input: a flat program. Output: robust, or an attack with an execution whose
// happens-before relation has a cycle. The answer is exact for programs with
// finitely many states, with buffers of any length.
//
// Differs from the paper: one search for all attacks instead of one instrumented
// program per attack (search.go).
package robust
