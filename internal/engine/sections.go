package engine

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Questions about states inside atomic sections. While a thread is inside a section no
// other thread's stores reach memory, so a state with stores in buffers can be one that has
// no end without delays even where every execution that goes on has one: docs/engines/portfolio.md
// says which answers under SC count under TSO for robust programs.

// InsideSections says what of the questions is about states inside atomic sections, "" if
// nothing is: a goal with a thread inside, or with the registers of a thread that may be
// inside, or deadlock where a thread can wait inside.
func InsideSections(p *ir.Program, props *property.Set) string {
	for i := range props.Goals {
		if GoalInside(p, &props.Goals[i]) {
			return "a goal inside an atomic section"
		}
	}
	if props.Deadlock && WaitsInside(p) {
		return "deadlock where a thread waits inside an atomic section"
	}
	return ""
}

// WaitsInside reports whether a thread can wait for others inside an atomic section.
func WaitsInside(p *ir.Program) bool {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		for i := range f.Edges {
			if e := &f.Edges[i]; inside[e.From] && waits(&e.Op) {
				return true
			}
		}
	}
	return false
}

// InsideSection is the first operation of one of the kinds inside an atomic section, nil
// if there is none.
func InsideSection(p *ir.Program, kinds ...ir.OpKind) *ir.Edge {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		for i := range f.Edges {
			if e := &f.Edges[i]; inside[e.From] && slices.Contains(kinds, e.Op.Kind) {
				return e
			}
		}
	}
	return nil
}

// SharedSpawnInside reports whether a spawn inside an atomic section starts threads that others can start, too: it may
// find none left.
func SharedSpawnInside(p *ir.Program) bool {
	starters := p.Starters()
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		for i := range f.Edges {
			if e := &f.Edges[i]; inside[e.From] && e.Op.Kind == ir.Spawn && starters[e.Op.Call.Threads[0]] > 0 {
				return true
			}
		}
	}
	return false
}

// MemoryInside reports whether a state inside an atomic section can have other contents of
// memory than all states outside: after a write comes another one, or something that may stop the
// thread.
func MemoryInside(p *ir.Program) bool {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		written := make([]bool, len(f.Locs)) // and still inside
		for changed := true; changed; {
			changed = false
			for i := range f.Edges {
				e := &f.Edges[i]
				if !inside[e.From] || written[e.To] || !written[e.From] && !writesMemory(&e.Op) || !inside[e.To] {
					continue
				}
				written[e.To], changed = true, true
			}
		}
		for i := range f.Edges {
			if e := &f.Edges[i]; written[e.From] && (writesMemory(&e.Op) || mayStop(&e.Op)) {
				return true
			}
		}
	}
	return false
}

func writesMemory(op *ir.Op) bool {
	switch op.Kind {
	case ir.Store, ir.RMW, ir.Free, ir.Alloc, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Barrier:
		return true
	default:
		return false
	}
}

// mayStop reports whether a thread may not get past an operation.
func mayStop(op *ir.Op) bool {
	switch op.Kind {
	case ir.Assume, ir.Assert, ir.Havoc, ir.AbstractLoad, ir.Load, ir.Exit, ir.Bound, ir.Unsupported:
		return true // a load may fail
	default:
		return waits(op)
	}
}

// GoalInside reports whether a thread can be inside an atomic section in a state of the
// goal whose location or registers the goal names.
func GoalInside(p *ir.Program, g *property.Goal) bool {
	for _, at := range g.At {
		inside := insideOf(p.ThreadFunc(at.Thread))
		if slices.ContainsFunc(at.Locs, func(l ir.Loc) bool { return inside[l] }) {
			return true
		}
	}
	return RegistersInside(p, g)
}

// RegistersInside reports whether the goal names registers of a thread that can be anywhere,
// inside an atomic section too.
func RegistersInside(p *ir.Program, g *property.Goal) bool {
	if g.With == nil {
		return false
	}
	for _, v := range g.With.Vars {
		if v.IsMemory() || slices.ContainsFunc(g.At, func(at property.At) bool { return at.Thread == v.Thread }) {
			continue
		}
		if slices.Contains(insideOf(p.ThreadFunc(v.Thread)), true) {
			return true
		}
	}
	return false
}

// LocalRegisters reports whether a goal is about a register of a thread without a location in the
// goal, and the thread computes the register in a local step. The goal then tells states apart that
// differ only in local steps.
func LocalRegisters(p *ir.Program, g *property.Goal) bool {
	if g.With == nil {
		return false
	}
	for _, v := range g.With.Vars {
		if v.IsMemory() || slices.ContainsFunc(g.At, func(at property.At) bool { return at.Thread == v.Thread }) {
			continue
		}
		f := p.ThreadFunc(v.Thread)
		for i := range f.Edges {
			computes := false
			f.Edges[i].Op.Defs(func(r ir.Reg) { computes = computes || r == v.Reg })
			if computes && f.Edges[i].Op.Local() {
				return true
			}
		}
	}
	return false
}

// insideOf is which locations lie inside sections. Flat programs have been verified.
func insideOf(f *ir.Func) []bool {
	inside, err := ir.SectionLocs(f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return inside
}

// waits reports whether an operation may have to wait for another thread.
func waits(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.Join, ir.Await, ir.CondWait, ir.Barrier:
		return true
	case ir.RMW:
		return op.Cond != nil
	default:
		return false
	}
}

// StopsInside reports whether a thread can stop inside an atomic section: it waits there, or no
// assumption of a location holds. While it stands there, no other thread runs.
func StopsInside(p *ir.Program) bool {
	if WaitsInside(p) {
		return true
	}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		for l := range f.Locs {
			if inside[l] && !someHolds(f, ir.Loc(l)) {
				return true
			}
		}
	}
	return false
}

// someHolds reports whether one of the edges that leave a location can always be taken: one of them
// is no assumption, or two of them assume the opposite of each other.
func someHolds(f *ir.Func, l ir.Loc) bool {
	var conds []*ir.Expr
	for _, i := range f.Out(l) {
		op := &f.Edges[i].Op
		if op.Kind != ir.Assume {
			return true
		}
		for _, c := range conds {
			if c.Equal(ir.Negate(op.Val)) || op.Val.Equal(ir.Negate(c)) {
				return true
			}
		}
		conds = append(conds, op.Val)
	}
	return len(f.Out(l)) == 0
}
