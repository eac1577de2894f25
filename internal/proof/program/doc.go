// Package program prepares a program for a proof by induction or by movers [BEMT18]: it rewrites a flat program into one
// that the proof covers, takes annotations out of its code, and collects the facts that need no solver.
//
// Input: a flat program, in which a thread marked unbounded stands for any number of equal ones, and what the user asks
// and states about it. Output: the rewritten program; classes of threads with equal code, and what they do step by step;
// *engine.Unsupported with a position for what proofs do not cover.
//
// The files, in the order in which a proof uses them:
//
//	thread_private.go    objects that one thread accesses become registers
//	read_abstractions.go annotations that let a load read more values
//	constants.go         constant propagation through all threads
//	webs.go              a register per independent use of a register
//	pointers.go          accesses through pointers, divided by what they go to
//	address_flow.go      which values reach which pointer
//	blocks.go            kinds and fields of allocated memory
//	annotations.go       invariants that are code, taken out of the program
//	ghost_code.go        assignments that only annotations see
//	mutex_kinds.go       recursive and error-checking mutexes as plain ones
//	trylocks.go          locks that may fail
//	waits.go             conditions and barriers as simpler steps
//	supported.go         what is left must be covered
//	register_widths.go   the types of the values of registers
//	class.go, action.go  threads with equal code, and their steps on memory
//	steps.go             steps that end where an invariant is stated
//	lifetimes.go         which threads run at the same time
//	address.go, state.go what an operation accesses; states that a search shows
//
// Package encode makes terms of the prepared program; nothing here knows a solver.
package program
