// Package analysis computes static facts about ir programs: what holds in every
// execution, whatever the schedule and the memory model. Engines and passes share these
// facts; each analysis stands here once.
//
//	facts.go           Facts, the facts of a flat program that clients ask for repeatedly
//	cycles.go          strongly connected components, edges on cycles, cutting all cycles
//	dominators.go      dominators and postdominators of an automaton
//	liveness.go        registers that are read before they are written
//	spin.go            natural loops that only wait for memory to change
//	idle.go            loops in which a thread can go round without getting anywhere
//	way_out.go         whether a way out of a loop depends on what the loop reads
//	rounds.go          how often an execution can take an edge of a loop, from constants
//	interval.go        ranges of 64-bit numbers, and the range of an expression
//	footprint.go       the bytes an operation may access, and overlap of byte ranges
//	points_to.go       the objects whose addresses a register may hold, and escape
//	thread_private.go  objects that a single thread accesses
//	delay.go           how far a buffered store can be delayed in program order
//
// All results over-approximate: a fact that says "may" can be wrong in the safe direction
// only. Facts of a program are computed once and are then safe for concurrent use.
//
// Three analyses with similar names stay with their engines because they compute something
// else. Engine bmc follows the values of registers through an unrolled program and so knows
// the accessed cells exactly; its cells used by one thread come from there. Engine mover asks
// an SMT solver for addresses under the invariants found so far. Packages replay and export
// share nothing with the engines, by design.
//
// Deliberately absent: memory models, properties, and anything that changes a program.
package analysis
