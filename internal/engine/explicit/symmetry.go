package explicit

import (
	"reflect"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Symmetry. Threads with the same code, the same arguments and no way to learn their identity
// can be exchanged: if a state is reachable, so is the state with two of them exchanged, and both
// have the same future up to the exchange. So states are stored up to the order of such threads
// (reduce.Symmetry).
//
// That is sound only where nothing depends on a thread's identity:
//   - no property names one of the threads (a goal's location, a register in a condition);
//   - no value holds a thread's identity: mutex words hold owners, spawn returns handles, the
//     address of a fresh block depends on the thread, a signal picks a waiter. Programs with any
//     of these operations have no symmetric threads;
//   - the search stops at the first violation: an assertion is an edge, and every thread has
//     edges of its own.

// symmetric finds the groups of exchangeable threads.
func symmetric(task *engine.Task) [][]ir.ThreadID {
	p := task.Program
	if task.NoReduction || task.KeepGoing || tellsApart(p) {
		return nil
	}
	named := map[ir.ThreadID]bool{}
	for _, g := range task.Props.Goals {
		for _, at := range g.At {
			named[at.Thread] = true
		}
		nameThreads(g.With, named)
	}
	if task.Props.Final != nil {
		nameThreads(task.Props.Final.Cond, named)
	}
	var groups [][]ir.ThreadID
	taken := map[ir.ThreadID]bool{}
	for t := range p.Threads {
		first := ir.ThreadID(t)
		if named[first] || taken[first] || first == p.Main {
			continue
		}
		group := []ir.ThreadID{first}
		for u := t + 1; u < len(p.Threads); u++ {
			other := ir.ThreadID(u)
			if !named[other] && !taken[other] && other != p.Main && sameThread(p, first, other) {
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

func nameThreads(c *property.Cond, named map[ir.ThreadID]bool) {
	if c == nil {
		return
	}
	for _, v := range c.Vars {
		if !v.IsMemory() {
			named[v.Thread] = true
		}
	}
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
