package engine

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/property"
)

// Threads that can be exchanged, for the engines that explore executions (docs/engines/symmetry.md).

// Groups are groups of threads that can be exchanged, each in the order in which its threads start.
type Groups [][]ir.ThreadID

// Peers returns the groups of threads that nothing in the program or in a property tells apart.
func (t *Task) Peers(y *memory.System) Groups {
	if t.Props.Final != nil && t.has(ir.Lock) {
		return nil // the condition may be about the word of a mutex, which names its owner
	}
	return reduce.Peers(y, t.Names())
}

// has reports whether the program has an operation of a kind.
func (t *Task) has(kind ir.OpKind) bool {
	return slices.ContainsFunc(t.Program.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.Op.Kind == kind })
	})
}

// Names returns which threads a property names: by the location of a goal, or by a register in a condition.
func (t *Task) Names() func(ir.ThreadID) bool {
	named := map[ir.ThreadID]bool{}
	add := func(c *property.Cond) {
		if c == nil {
			return
		}
		for _, v := range c.Vars {
			if !v.IsMemory() {
				named[v.Thread] = true
			}
		}
	}
	for _, g := range t.Props.Goals {
		for _, at := range g.At {
			named[at.Thread] = true
		}
		add(g.With)
	}
	if t.Props.Final != nil {
		add(t.Props.Final.Cond)
	}
	return func(t ir.ThreadID) bool { return named[t] }
}

// After returns machine.Options.After: the threads of a group begin in their order.
func (g Groups) After(p *ir.Program) []int32 {
	if len(g) == 0 {
		return nil
	}
	after := slices.Repeat([]int32{int32(ir.NoThread)}, len(p.Threads))
	for _, group := range g {
		for i := range group[1:] {
			after[group[i+1]] = int32(group[i])
		}
	}
	return after
}

// Begin returns machine.Options.Begin. A thread that comes to a write through loads only begins there: then the beginnings
// of a group are ordered in every execution, and all exchanges of its threads are left out. Others begin with their first
// event.
func (g Groups) Begin(p *ir.Program) []ir.Loc {
	if len(g) == 0 {
		return nil
	}
	begin := slices.Repeat([]ir.Loc{-1}, len(p.Threads))
	for _, group := range g {
		for _, t := range group {
			begin[t] = firstWrite(p.ThreadFunc(t))
		}
	}
	return begin
}

// firstWrite returns where a function writes first, if it comes there by loads and local steps without a branch; else -1.
func firstWrite(f *ir.Func) ir.Loc {
	at := ir.Loc(-1)
	straight(f, func(e *ir.Edge) bool {
		if k := e.Op.Kind; k == ir.Store || k == ir.RMW || k == ir.Lock {
			at = e.From
		}
		return at < 0
	})
	return at
}

// FirstRead returns, per thread of a group, how many loads and stores come before its beginning where only reads count:
// before the first operation that reads and writes, if the thread comes there without a branch, or else
// before its first load; or 0.
func (g Groups) FirstRead(p *ir.Program) []int {
	if len(g) == 0 {
		return nil
	}
	first := make([]int, len(p.Threads))
	for _, group := range g {
		for _, t := range group {
			n, load := 0, 0
			straight(p.ThreadFunc(t), func(e *ir.Edge) bool {
				switch k := e.Op.Kind; {
				case (k == ir.RMW || k == ir.Lock) && !e.Op.Blind():
					load, first[t] = -1, n
				case k == ir.Load && load == 0:
					load, first[t] = 1, n
				}
				if !e.Op.Local() {
					n++
				}
				return load >= 0
			})
		}
	}
	return first
}

// straight calls f with the edges by which a function begins, up to a branch or to the first that is not a local step, a
// load, a store, an RMW or a lock, or until f returns false.
func straight(fn *ir.Func, f func(*ir.Edge) bool) {
	at := fn.Entry
	for range fn.Locs {
		out := fn.Out(at)
		if len(out) != 1 {
			return
		}
		e := &fn.Edges[out[0]]
		switch e.Op.Kind {
		case ir.Nop, ir.Assign, ir.Assert, ir.Load, ir.Store, ir.RMW, ir.Lock:
		default:
			return
		}
		if !f(e) {
			return
		}
		at = e.To
	}
}

// Exchange marks in s, which has what executions have covered, the edges and bounds of the executions that are the same with
// threads exchanged: what one thread of a group did, every thread of it can do.
func (g Groups) Exchange(y *memory.System, s *memory.State) {
	if len(g) == 0 {
		return
	}
	at := map[ir.EdgeID]int{}
	for i, e := range y.Edges() {
		at[e.ID] = i
	}
	for _, group := range g {
		for k := range y.Prog.ThreadFunc(group[0]).Edges {
			for _, set := range [][]bool{s.Covered, s.Bounds} {
				any := false
				for _, t := range group {
					any = any || set[at[y.Prog.ThreadFunc(t).Edges[k].ID]]
				}
				for _, t := range group {
					set[at[y.Prog.ThreadFunc(t).Edges[k].ID]] = any
				}
			}
		}
	}
}
