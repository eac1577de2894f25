package reduce

import (
	"reflect"

	"fencepost/internal/ir"
)

// Groups finds the groups of threads that can be exchanged: they have the same code and the same
// arguments, and nothing tells them apart. Threads that named reports belong to none. A program with
// operations whose effect depends on the thread has no groups.
func Groups(p *ir.Program, named func(ir.ThreadID) bool) [][]ir.ThreadID {
	if tellsApart(p) {
		return nil
	}
	var groups [][]ir.ThreadID
	taken := map[ir.ThreadID]bool{}
	for t := range p.Threads {
		first := ir.ThreadID(t)
		if named(first) || taken[first] || first == p.Main {
			continue
		}
		group := []ir.ThreadID{first}
		for u := t + 1; u < len(p.Threads); u++ {
			other := ir.ThreadID(u)
			if !named(other) && !taken[other] && other != p.Main && sameThread(p, first, other) {
				group = append(group, other)
				taken[other] = true
			}
		}
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// tellsApart reports whether the program has operations whose effect depends on
// which thread runs them.
func tellsApart(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			switch f.Edges[i].Op.Kind {
			case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier,
				ir.Spawn, ir.Join, ir.Alloc, ir.Free:
				return true
			}
		}
	}
	return false
}

// sameThread compares two threads' code, edge by edge.
func sameThread(p *ir.Program, t, u ir.ThreadID) bool {
	f, g := p.ThreadFunc(t), p.ThreadFunc(u)
	if len(f.Locs) != len(g.Locs) || len(f.Edges) != len(g.Edges) || len(f.Regs) != len(g.Regs) || f.Entry != g.Entry ||
		!reflect.DeepEqual(p.Threads[t].Args, p.Threads[u].Args) || p.Threads[t].Start != p.Threads[u].Start {
		return false
	}
	for i := range f.Regs {
		if f.Regs[i].Init != g.Regs[i].Init {
			return false
		}
	}
	for i := range f.Edges {
		a, b := &f.Edges[i], &g.Edges[i]
		if a.From != b.From || a.To != b.To || !reflect.DeepEqual(a.Op, b.Op) {
			return false
		}
	}
	return true
}
