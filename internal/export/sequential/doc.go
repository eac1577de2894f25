// Package sequential writes the sequential program of bounded model checking in C: threads in
// rounds, whose accesses are calls of a small runtime that is SC, TSO or PSO. Verifiers of
// sequential C check it, and it runs with listed choices.
//
// Input is a Sequence, a program whose rounds are planned; Write returns the text and the sites of
// its choices, or refusals.
//
// Receivers: w is the sequential that is being written, t is a thread.
package sequential
