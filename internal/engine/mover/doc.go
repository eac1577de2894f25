// Package mover proves that a program reaches the same shared states with and
// without store buffers, for any number of threads and unbounded data, by
// reduction and abstraction [BEMT18].
//
// A store is issued and later committed. If each pair of these can be brought
// together in every TSO execution, what the execution reaches is reachable under
// SC. Two facts about SC executions suffice for it: a store may move left across
// what other threads do, or all the loads that may overtake it may move right
// (Definition 1 there). Both are questions about two instructions at a time, which
// an SMT solver answers; which loads may overtake a store is read off the
// control-flow graph.
//
// Input: a flat program, in which a thread marked unbounded stands for any number
// of equal ones, and invariants. Output: a proof as a table, or the pairs
// of instructions that stand in its way, and for each assertion whether the invariants
// imply it. A proof is of value robustness; a failed attempt says nothing about the
// program.
//
// Limits: allocation, conditions, barriers and mutexes that are not of the normal kind
// are refused. Numbers are mathematical integers or bit-vectors.
package mover
