// Package mover proves that a program reaches the same shared states with and
// without store buffers, for any number of threads and unbounded data, by
// reduction and abstraction [BEMT18].
//
// A store is issued and later committed. If every TSO execution can be reordered so that each
// commit comes right after its issue, the state that the execution reaches is reachable under SC.
// For that one of two facts about SC executions is enough for every store: the store moves left
// across the actions of other threads, or all loads that may overtake it move right (Definition 1
// there). Both are questions about two instructions at a time, which an SMT solver answers. The
// control-flow graph tells which loads may overtake a store.
//
// Input: a flat program, in which a thread marked unbounded stands for any number
// of equal ones, and invariants. Output: a proof as a table, or the pairs
// of instructions that prevent it, and for each assertion whether the invariants
// imply it. A proof is of value robustness; a failed attempt says nothing about the
// program.
//
// The program is prepared in package proof/program, expressed as terms in proof/encode, and its invariants are found in
// proof/invariant. Here are the questions about movers and about the checks of the program:
//
//	mover.go, prover.go            the proof as a whole: what is tried, and in which order
//	movers.go, overtaking.go       two instructions at a time; which loads may overtake a store
//	table.go, pso.go               the table of stores; PSO
//	checks.go, missing.go          assertions and errors; what an open one lacks
//	abstract.go, failing_rmw.go    read abstractions; read-modify-writes that may fail
//	stored.go                      proofs that were stored
//
// Limits: blocks that are allocated have fields at fixed offsets. Numbers are mathematical integers or bit-vectors.
package mover
