// Package rc11 answers the question of consistency of C11's memory model: given the events of an execution and the
// source of every read, is there an order of the writes of each cell that satisfies the axioms of RC11
// [LVKHD17]?
//
// Input is a Graph: the events of each thread in program order, and the write that each read reads from. Output is
// the order of the writes, modification order, or that there is none. Happens-before comes with it.
//
// The axioms, with release sequences as C++20 has them:
//
//	rs  = [W at least relaxed] ; (rf ; rmw)*
//	sw  = [at least release] ; ([F] ; po)? ; rs ; rf ; [R at least relaxed] ; (po ; [F])? ; [at least acquire]
//	hb  = (po ∪ sw)+, where sw has also the pairs of Event.After
//	rb  = rf⁻¹ ; mo             eco = (rf ∪ mo ∪ rb)+
//
//	coherence    hb ; eco? is irreflexive
//	atomicity    no write comes between the source of a read-modify-write and its write in mo
//	SC           psc is acyclic (psc.go)
//	no thin air  po ∪ rf ∪ After is acyclic
//
// The package knows nothing of programs. The engine rf asks it (docs/engines/c11.md). Package replay checks
// graphs by the same axioms with code of its own.
//
// Limits: a read-modify-write reads and writes one cell.
package rc11
