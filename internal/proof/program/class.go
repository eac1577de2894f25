package program

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Class is the threads that run the same code. One stands for all.
type Class struct {
	Thread      ir.ThreadID
	Code        *ir.Func
	Name        string
	Many        bool // there may be two of them
	Start       bool // they run from the beginning
	Actions     []*Action
	Inside      []bool // locations inside atomic sections
	Passing     []bool // locations that the induction leaves out
	Annotations []*Annotation
	Ghosts      map[ir.EdgeID]*Annotation // by the edge that they run with
	Self        ir.Reg                    // has a different number in each of many threads; NoReg: there is none
}

// Ends returns the locations at which a thread of class c has ended.
func (c *Class) Ends() []ir.Loc {
	var list []ir.Loc
	add := func(l ir.Loc) {
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	left := make([]bool, len(c.Code.Locs))
	for _, a := range c.Actions {
		left[a.From()] = true
	}
	if !left[c.Code.Entry] {
		add(c.Code.Entry)
	}
	for _, a := range c.Actions {
		last := a.Edges[len(a.Edges)-1]
		switch last.Op.Kind {
		case ir.Return, ir.ThreadExit, ir.Exit:
			add(last.To)
		default:
			if !left[last.To] {
				add(last.To)
			}
		}
	}
	return list
}

// WithNamed adds the registers that conditions of the user read to a list.
func (c *Class) WithNamed(list []ir.Reg) []ir.Reg {
	list = slices.Clone(list)
	for _, cl := range c.Annotations {
		for _, way := range cl.Ways {
			for _, e := range way {
				for _, r := range UsesOf(&e.Op) {
					if !slices.Contains(list, r) {
						list = append(list, r)
					}
				}
			}
		}
	}
	return list
}

// Copies returns the registers that each register is a copy of, in one step or in several.
func (c *Class) Copies() map[ir.Reg][]ir.Reg {
	of := map[ir.Reg][]ir.Reg{}
	for changed := true; changed; {
		changed = false
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if op.Kind != ir.Assign || op.Val.Op != ir.RegRef {
				continue
			}
			for _, s := range append([]ir.Reg{op.Val.Reg}, of[op.Val.Reg]...) {
				if s != op.Dst && !slices.Contains(of[op.Dst], s) {
					of[op.Dst], changed = append(of[op.Dst], s), true
				}
			}
		}
	}
	return of
}

// NamedRegisters returns which registers the questions of the program read. They count where states are
// compared; other registers count while they are live.
func NamedRegisters(p *ir.Program, props *property.Set) func(ir.FuncID, ir.Reg) bool {
	type key struct {
		f ir.FuncID
		r ir.Reg
	}
	kept := map[key]bool{}
	add := func(c *property.Cond) {
		if c == nil {
			return
		}
		for _, v := range c.Vars {
			if !v.IsMemory() {
				kept[key{p.Threads[v.Thread].Func, v.Reg}] = true
			}
		}
	}
	for i := range props.Goals {
		add(props.Goals[i].With)
	}
	if props.Final != nil {
		add(props.Final.Cond)
	}
	return func(f ir.FuncID, r ir.Reg) bool { return kept[key{f, r}] }
}

// InvariantsOf returns the invariants that are stated about a thread.
func InvariantsOf(props *property.Set, t ir.ThreadID) []property.Invariant {
	var list []property.Invariant
	for _, inv := range props.Invariants {
		if inv.Thread == t {
			list = append(list, inv)
		}
	}
	return list
}

// IsNamed reports whether a question or a condition of the user names a location.
func IsNamed(c *Class, l ir.Loc, props *property.Set) bool {
	for _, inv := range InvariantsOf(props, c.Thread) {
		if inv.Loc == l {
			return true
		}
	}
	if slices.ContainsFunc(c.Annotations, func(a *Annotation) bool { return a.At == l }) {
		return true
	}
	return slices.ContainsFunc(props.Goals, func(g property.Goal) bool {
		return slices.ContainsFunc(g.At, func(at property.At) bool { return slices.Contains(at.Locs, l) })
	})
}

// UsesOf returns the registers that an operation reads.
func UsesOf(op *ir.Op) []ir.Reg {
	var list []ir.Reg
	op.Uses(func(r ir.Reg) { list = append(list, r) })
	return list
}

// AsksSelf reports whether an operation asks for the number of its thread.
func AsksSelf(op *ir.Op) bool {
	found := false
	op.Val.Walk(func(e *ir.Expr) { found = found || e.Op == ir.Self })
	return found
}
