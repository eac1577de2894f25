// Package invariant finds and proves invariants of the SC executions of a program, for any number of threads, by
// induction in the manner of Owicki and Gries [OG76].
//
// Knowledge has the invariants: conditions that always hold or hold while a thread is at a location, locks, counts of
// threads, and facts about two threads at two locations. Candidates are proposed, the ones that are false in a state of a
// small instance are dropped, and the solver drops what is not inductive until the rest is [FL01].
//
// Input: a problem of package encode, the conditions of the user, and a function that shows reachable states of
// instances. Output: conditions to assume at a location or at two; a report of all of them; what was dropped and why.
//
// The files:
//
//	knowledge.go         what is known at a location
//	induction.go         dropping what is not inductive
//	candidates.go        constants, ranges, comparisons
//	vocabulary.go, sorts.go   words of conditions, and which of them belong together
//	instances.go         candidates on states of small instances
//	locks.go             variables that say who holds them
//	counts.go            a variable as a number of threads at locations
//	pairs.go             two threads at two locations
//	mined.go, clauses.go, rings.go      tickets, disjunctions, ring buffers
//	block_facts.go       allocated blocks
//	dropped.go           what an open check lacks
//	stored.go, saved.go  invariants of a stored proof; trying and going back
//	audit.go             comparison with states, for tests
//
// Package engine/mover assumes the invariants when it asks about movers.
//
// Limits: candidates have fixed forms; what needs another form the user must state.
package invariant
