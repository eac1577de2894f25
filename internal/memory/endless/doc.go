// Package endless recognises states in which threads go round loops that no thread can end.
//
// A thread spins if its loop, run from the present state by this thread alone, never leaves the loop,
// whatever it chooses, and leaves memory as it is. If every thread of the program has ended, waits or
// spins, nothing ever changes: the program does not end. Buffers are empty in such a state, so no store
// is left that could help.
//
// Input: a state of package memory. Output: whether it is such a state, and for a witness one round of
// each thread that spins. Engines ask about the states at which their executions stop; package shorten
// adds the rounds to the witness.
//
// docs/engines/liveness.md has the definition and the argument.
package endless
