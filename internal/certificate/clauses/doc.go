// Package clauses says in clauses what a flat program can do under SC, TSO and PSO, up to a bound of its loops: if the
// clauses have no model, no execution violates anything. It is the second encoder, beside that of the engine bmc, and
// shares nothing with it: it is written from docs/models.md to be read.
//
// Input: a flat program that only the passes without which it has no meaning have made, its properties, a model, and how
// often loops are unrolled. Output: clauses, and which literals stand for violations.
//
// Package certificate makes the clauses again when it checks a proof, so what is here is trusted. One direction matters:
// every execution of the program, up to its first violation, is a model. Models that are no executions cost proofs, but
// never make a false one.
//
// Files:
//
//	gate.go      literals, gates and their clauses
//	word.go      numbers of 64 bits
//	expr.go      expressions
//	order.go     the order in which the locations of a thread are visited; loops
//	thread.go    the paths of a thread
//	ops.go       what operations do
//	mutex.go     what operations on mutexes do
//	spawn.go     the start and the end of threads
//	memory.go    what loads read: the order of all that reaches memory
//	blocks.go    which accesses are errors: blocks and objects
//	question.go  violations, final conditions, deadlock
//	execution.go what a model says happens
//
// Deliberately absent: everything that would make the clauses few.
package clauses
