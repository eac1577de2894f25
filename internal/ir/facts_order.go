package ir

import "slices"

// UnfencedLoads is the loads of f that a store may be delayed past: those on a
// way from the store without an operation that drains the buffer for certain.
// Loads are Load, AbstractLoad and Await edges, in order of their ids. The
// locking operations of a recursive mutex do not count as draining: where the
// mutex is owned already they do not. Each call walks the automaton once.
func (fs *Facts) UnfencedLoads(f FuncID, store EdgeID) []EdgeID {
	fn := fs.p.Funcs[f]
	i, ok := fs.funcs[f].edges[store]
	if !ok {
		panic("BUG: the store is not an edge of the function")
	}
	var loads []EdgeID
	seen := make([]bool, len(fn.Locs))
	start := fn.Edges[i].To
	seen[start] = true
	for work := []Loc{start}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, j := range fn.Out(l) {
			e := &fn.Edges[j]
			if e.Op.drains() {
				continue
			}
			switch e.Op.Kind {
			case Load, AbstractLoad, Await:
				loads = append(loads, e.ID)
			}
			if !e.Op.ends() && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	slices.Sort(loads)
	return loads
}

// drains reports whether the buffer is empty after the operation in any state.
func (op *Op) drains() bool {
	switch op.Kind {
	case Lock, TryLock, Unlock:
		return op.Mutex != RecursiveMutex
	}
	return op.MustDrain()
}
