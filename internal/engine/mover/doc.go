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
// Names of receivers:
//
//	pr  *prover       ab  *abstractor   mt  *moverTable   cr  *checker   lf  *lockFinder
//	k   *knowledge    y   *layout       x   *runner       s   *simplifier
//	c, d  classes     a, b  actions     l, n  locations   m   memory
//
// Limits: blocks that are allocated have fields at fixed offsets. Numbers are mathematical integers or bit-vectors.
package mover
