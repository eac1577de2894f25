// Package c11 writes programs as C11 with pthreads and atomics, for verifiers of C. The other
// tool knows the memory model; the tests compile the texts, read them again and compare verdicts.
//
// Input is a flat ir program with its properties; Write returns the text, or refusals.
//
// Receivers: w is the cProgram that is being written, t is a thread.
package c11
