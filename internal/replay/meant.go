package replay

import (
	"slices"

	"fencepost/internal/ir"
)

// Loops that are meant to go on for ever, by definition (docs/engines/liveness.md): they have no way out that depends
// on what the thread reads.

// inVain reports whether, in a state from which nothing ends, some thread waits for something: it goes round a loop
// that has such a way out, or it cannot move and does not join a thread that is meant to go on for ever.
func (l *loops) inVain(n int) bool {
	s := l.states[n]
	meant := make([]bool, len(s.threads))
	live := func(t int) bool { return s.threads[t].phase != unstarted && !l.m.ended(s, t) }
	for t := range s.threads {
		if !live(t) || !l.able[n][t] {
			continue
		}
		around := l.visited(n, t)
		if len(around) == 0 {
			return false // the thread is on its way to its end, to a loop or to where it waits: a later state tells
		}
		meant[t] = !l.m.hasWayOut(t, around)
	}
	for range s.threads {
		for t := range s.threads {
			if !live(t) || l.able[n][t] {
				continue
			}
			f, all := l.m.p.ThreadFunc(ir.ThreadID(t)), true
			for _, i := range f.Out(s.threads[t].loc) {
				op := &f.Edges[i].Op
				target := int64(-1)
				if op.Kind == ir.Join {
					target = op.Val.Eval(ir.Env{Regs: s.threads[t].regs, Prog: l.m.p})
				}
				all = all && target >= 0 && target < int64(len(meant)) && meant[target]
			}
			meant[t] = meant[t] || all
		}
	}
	for t := range s.threads {
		if live(t) && !meant[t] {
			return true
		}
	}
	return false
}

// visited returns the locations at which a thread is again and again if it moves alone.
func (l *loops) visited(n, t int) map[ir.Loc]bool {
	in := map[int]bool{n: true}
	for work := []int{n}; len(work) > 0; work = work[1:] {
		for _, w := range l.next[work[0]] {
			if w.thread == t && !in[w.to] {
				in[w.to] = true
				work = append(work, w.to)
			}
		}
	}
	for changed := true; changed; { // drop what nothing leads to
		changed = false
		to := map[int]bool{}
		for k := range in {
			for _, w := range l.next[k] {
				to[w.to] = to[w.to] || w.thread == t
			}
		}
		for k := range in {
			if !to[k] {
				delete(in, k)
				changed = true
			}
		}
	}
	out := map[ir.Loc]bool{}
	for k := range in {
		out[l.states[k].threads[t].loc] = true
	}
	return out
}

// hasWayOut reports whether the smallest loop around some locations of a thread has a way out that depends on what the
// thread reads.
func (m *machine) hasWayOut(t int, locs map[ir.Loc]bool) bool {
	f := m.p.ThreadFunc(ir.ThreadID(t))
	var best []bool
	size := func(set []bool) (n int) {
		for _, in := range set {
			if in {
				n++
			}
		}
		return n
	}
	for _, set := range loopSets(f) {
		around := true
		for at := range locs {
			around = around && set[at]
		}
		if around && (best == nil || size(set) < size(best)) {
			best = set
		}
	}
	return best != nil && wayOut(f, best)
}

// reached returns the locations that can be reached from one in at least one step by way of some locations.
func reached(f *ir.Func, from ir.Loc, by func(ir.Loc) bool) []bool {
	out := make([]bool, len(f.Locs))
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			e := &f.Edges[i]
			if !e.Op.Terminal() && (e.From == from || out[e.From]) && !out[e.To] && by(e.To) {
				out[e.To], changed = true, true
			}
		}
	}
	return out
}

// loopSets returns the loops of a function: for every head, the locations that it dominates and from which ways through
// such locations lead back to it; and the sets of locations that can all be reached from each other.
func loopSets(f *ir.Func) [][]bool {
	any := func(ir.Loc) bool { return true }
	start := reached(f, f.Entry, any)
	start[f.Entry] = true
	var out [][]bool
	for head := range f.Locs {
		head := ir.Loc(head)
		if !start[head] {
			continue
		}
		other := make([]bool, len(f.Locs)) // reached without the head
		if head != f.Entry {
			other = reached(f, f.Entry, func(l ir.Loc) bool { return l != head })
			other[f.Entry] = true
		}
		below := func(l ir.Loc) bool { return start[l] && !other[l] }
		set, same := make([]bool, len(f.Locs)), make([]bool, len(f.Locs))
		forth := reached(f, head, any)
		for l := range f.Locs {
			at := ir.Loc(l)
			set[l] = below(at) && reached(f, at, below)[head]
			same[l] = forth[l] && reached(f, at, any)[head]
		}
		if set[head] {
			out = append(out, set)
		}
		if same[head] {
			out = append(out, same)
		}
	}
	return out
}

// wayOut reports whether a loop has a way out that depends on what the thread reads.
func wayOut(f *ir.Func, in []bool) bool {
	type register struct {
		at  ir.Loc
		reg ir.Reg
	}
	carries, controlled := map[register]bool{}, map[ir.Loc]bool{}
	uses := func(e *ir.Edge) (found bool) {
		e.Op.Uses(func(r ir.Reg) { found = found || carries[register{e.From, r}] })
		return found
	}
	for size := -1; size != len(carries)+len(controlled); {
		size = len(carries) + len(controlled)
		for i := range f.Edges {
			e := &f.Edges[i]
			reads := e.Op.Kind == ir.Havoc || !e.Op.Local() && e.Op.Kind != ir.Alloc && e.Op.Kind != ir.Spawn
			set := map[ir.Reg]bool{}
			e.Op.Defs(func(r ir.Reg) { set[r] = true })
			for r := range f.Regs {
				read := carries[register{e.From, ir.Reg(r)}]
				if set[ir.Reg(r)] {
					read = reads || uses(e) || controlled[e.From]
				}
				if read && !e.Op.Terminal() {
					carries[register{e.To, ir.Reg(r)}] = true
				}
			}
			if e.Op.Kind != ir.Assume || !uses(e) || len(f.Out(e.From)) < 2 {
				continue
			}
			for l := range f.Locs {
				at := ir.Loc(l)
				if at == e.From || in[at] != in[e.From] {
					continue
				}
				if in[at] {
					if reached(f, e.From, func(k ir.Loc) bool { return in[k] && k != at })[e.From] && reached(f, e.From, func(k ir.Loc) bool { return in[k] })[at] {
						controlled[at] = true
					}
				} else if reached(f, e.From, func(ir.Loc) bool { return true })[at] {
					without := reached(f, e.From, func(k ir.Loc) bool { return k != at })
					if slices.ContainsFunc(allLocs(f), func(k ir.Loc) bool { return in[k] && without[k] }) {
						controlled[at] = true
					}
				}
			}
		}
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		out := in[e.From] && (e.Op.Terminal() || !in[e.To]) && !e.Op.CutsOff()
		if out && !onlyFails(f, e) && (!e.Op.Local() || uses(e) || controlled[e.From]) {
			return true
		}
	}
	return false
}

// onlyFails reports whether an edge leads to a failed assertion by one way, on which nothing else can be noticed.
func onlyFails(f *ir.Func, e *ir.Edge) bool {
	met := map[ir.Loc]bool{}
	for e.Op.Local() && !e.Op.Terminal() && !met[e.To] {
		met[e.To] = true
		next := f.Out(e.To)
		if len(next) != 1 {
			return false
		}
		e = &f.Edges[next[0]]
		if e.Op.Kind == ir.Assert {
			c, ok := e.Op.Val.IsConst()
			return ok && c == 0
		}
	}
	return false
}

func allLocs(f *ir.Func) []ir.Loc {
	out := make([]ir.Loc, len(f.Locs))
	for l := range out {
		out[l] = ir.Loc(l)
	}
	return out
}
