package rf

// beginnings is the order in which threads that can be exchanged begin (docs/engines/symmetry.md): the thread after whose
// beginning a thread begins, or none, and the number of the operation that is its beginning. Both are nil if there are
// no such threads.
type beginnings struct {
	after []int32
	first []int
}

// before returns the beginning of another thread that the next operation of thread t comes after because the threads can be
// exchanged, or initial. held says that it has not happened.
func (b *beginnings) before(g *graph, t int) (r ref, held bool) {
	if b.after == nil || b.after[t] == none || len(g.threads[t]) != b.first[t] {
		return initial, false
	}
	u := int(b.after[t])
	if n := b.first[u]; n < len(g.threads[u]) && g.threads[u][n].complete() {
		return refOf(u, n), false
	}
	return initial, true
}
