package analysis

import (
	"fencepost/internal/ir"
)

// Points-to and escape analysis. It gives every register of an automaton the set of objects
// and blocks whose addresses the register may hold, whatever the order of the edges
// (flow-insensitive). An address is *confined* if it does not escape: the thread copies it to
// registers, adds an offset, compares it and accesses memory through it. An address escapes
// when it is stored, passed to a thread, used in any other computation, or used in an access
// that may reach something else as well.
//
// The sets are right for programs whose accesses stay inside the object they were computed
// from. A client that relies on confinement must detect other programs while it runs them.

// Pointee is memory that an address can belong to: a static object, or the blocks that an
// edge allocates.
type Pointee struct {
	Object ir.ObjectID // NoObject: a block
	Alloc  ir.EdgeID
}

// PointsTo is the result of the analysis for one automaton.
type PointsTo struct {
	f        *ir.Func
	pointees []Pointee
	index    map[Pointee]int
	holds    [][]int    // by register: pointees, ascending
	holders  [][]ir.Reg // by pointee: the registers that hold it; nil: not asked for yet
	other    []bool     // by register: may hold something that is no address of a pointee
	escaped  []bool     // by pointee
	reaches  map[ir.EdgeID][]int
}

// NewPointsTo analyses an automaton of a flat program.
func NewPointsTo(f *ir.Func) *PointsTo {
	a := &PointsTo{
		f: f, index: map[Pointee]int{}, holds: make([][]int, len(f.Regs)), other: make([]bool, len(f.Regs)),
		reaches: map[ir.EdgeID][]int{},
	}
	for r := range f.Params {
		a.other[r] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			changed = a.define(&f.Edges[i]) || changed
		}
	}
	for i := range f.Edges {
		a.use(&f.Edges[i])
	}
	a.spreadEscape()
	return a
}

// Pointees calls f on everything whose address the automaton mentions, and reports whether
// the address is confined.
func (a *PointsTo) Pointees(f func(to Pointee, confined bool)) {
	for i, to := range a.pointees {
		f(to, !a.escaped[i])
	}
}

// Reaches returns the pointees that an access or a free may reach; nil if they are not
// known.
func (a *PointsTo) Reaches(e *ir.Edge) []Pointee {
	var out []Pointee
	for _, i := range a.reaches[e.ID] {
		out = append(out, a.pointees[i])
	}
	return out
}

// Holders returns the registers that may hold an address of a pointee.
func (a *PointsTo) Holders(to Pointee) []ir.Reg {
	var out []ir.Reg
	if i, ok := a.index[to]; ok {
		if a.holders == nil {
			a.holders = make([][]ir.Reg, len(a.pointees))
			for r, held := range a.holds {
				for _, j := range held {
					a.holders[j] = append(a.holders[j], ir.Reg(r))
				}
			}
		}
		out = a.holders[i]
	}
	return out
}

// number returns the index of a pointee, and adds the pointee if it is new.
func (a *PointsTo) number(to Pointee) int {
	i, ok := a.index[to]
	if !ok {
		i = len(a.pointees)
		a.index[to] = i
		a.pointees, a.escaped = append(a.pointees, to), append(a.escaped, false)
	}
	return i
}

// join adds to a set and reports whether the set grew. Sets are sorted and never changed, so that
// registers can share them.
func join(set *[]int, more []int) bool {
	old := *set
	if len(old) == 0 {
		*set = more
		return len(more) > 0
	}
	if len(more) == 0 || &old[0] == &more[0] && len(old) >= len(more) {
		return false
	}
	i, j, missing := 0, 0, 0
	for j < len(more) {
		switch {
		case i < len(old) && old[i] < more[j]:
			i++
		case i < len(old) && old[i] == more[j]:
			i, j = i+1, j+1
		default:
			missing, j = missing+1, j+1
		}
	}
	switch missing {
	case 0:
		return false
	case len(more): // nothing in common
	case len(more) - len(old): // a part of more
		*set = more
		return true
	}
	both := make([]int, 0, len(old)+missing)
	for i, j = 0, 0; i < len(old) || j < len(more); {
		switch {
		case j == len(more) || i < len(old) && old[i] < more[j]:
			both, i = append(both, old[i]), i+1
		case i == len(old) || more[j] < old[i]:
			both, j = append(both, more[j]), j+1
		default:
			both, i, j = append(both, old[i]), i+1, j+1
		}
	}
	*set = both
	return true
}

// define updates the registers that an edge writes and reports whether a set grew.
func (a *PointsTo) define(e *ir.Edge) bool {
	op := &e.Op
	switch {
	case op.Kind == ir.Assign:
		set, other := a.value(op.Val, nil)
		grew := join(&a.holds[op.Dst], set)
		if other && !a.other[op.Dst] {
			a.other[op.Dst], grew = true, true
		}
		return grew
	case op.Kind == ir.Alloc && op.Block.Stack:
		return join(&a.holds[op.Dst], []int{a.number(Pointee{ir.NoObject, e.ID})})
	}
	grew := false
	op.Defs(func(r ir.Reg) {
		grew = grew || !a.other[r]
		a.other[r] = true
	})
	return grew
}

// value returns the pointees whose address an expression may be, and whether the expression
// may be something else. It calls escape on pointees whose address is used in a way that
// the result does not show; escape may be nil.
func (a *PointsTo) value(e *ir.Expr, escape func([]int)) (set []int, other bool) {
	release := func(s []int) {
		if escape != nil && len(s) > 0 {
			escape(s)
		}
	}
	switch {
	case e.Op == ir.RegRef:
		return a.holds[e.Reg], a.other[e.Reg]
	case e.Op == ir.AddrOf:
		return []int{a.number(Pointee{e.Obj, ir.NoEdge})}, false
	case e.Op == ir.Ite:
		a.value(e.X, escape)
		y, o1 := a.value(e.Y, escape)
		z, o2 := a.value(e.Z, escape)
		both := y
		join(&both, z)
		return both, o1 || o2
	case (e.Op == ir.Add || e.Op == ir.Sub) && e.Type.Bits == 64:
		x, o1 := a.value(e.X, escape)
		y, o2 := a.value(e.Y, escape)
		switch {
		case len(x) > 0 && len(y) == 0:
			return x, o1
		case len(y) > 0 && len(x) == 0 && e.Op == ir.Add:
			return y, o2
		case e.Op == ir.Sub && len(x) > 0: // a distance
			return nil, true
		}
		release(x)
		release(y)
		return nil, true
	case e.Op.IsTruth():
		for _, x := range []*ir.Expr{e.X, e.Y} {
			if x != nil {
				a.value(x, escape)
			}
		}
		return nil, true
	}
	for _, x := range []*ir.Expr{e.X, e.Y, e.Z} {
		if x != nil {
			s, _ := a.value(x, escape)
			release(s)
		}
	}
	return nil, true
}

// use marks the pointees whose address escapes at an edge.
func (a *PointsTo) use(e *ir.Edge) {
	op := &e.Op
	escape := func(set []int) {
		for _, i := range set {
			a.escaped[i] = true
		}
	}
	escapeValue := func(x *ir.Expr) {
		if x != nil {
			set, _ := a.value(x, escape)
			escape(set)
		}
	}
	switch op.Kind {
	case ir.Load, ir.Store, ir.AbstractLoad, ir.Await, ir.RMW, ir.Free:
		set, other := a.value(op.Addr, escape)
		if other || op.Kind == ir.Free && !(op.Block.Stack && a.oneBlock(set)) {
			escape(set)
		} else {
			a.reaches[e.ID] = set
		}
		escapeValue(op.Val)
		escapeValue(op.Val2)
		escapeValue(op.Cond)
	case ir.Assign, ir.Assume, ir.Assert, ir.Havoc:
		for _, x := range []*ir.Expr{op.Val, op.Cond} {
			if x != nil {
				a.value(x, escape)
			}
		}
	default:
		for _, x := range append([]*ir.Expr{op.Addr, op.Val, op.Val2, op.Cond}, op.Call.Args...) {
			escapeValue(x)
		}
	}
}

func (a *PointsTo) oneBlock(set []int) bool {
	return len(set) == 1 && a.pointees[set[0]].Object == ir.NoObject
}

// spreadEscape marks the pointees that an access reaches together with an escaped one.
func (a *PointsTo) spreadEscape() {
	for changed := true; changed; {
		changed = false
		for _, set := range a.reaches {
			some, all := false, true
			for _, i := range set {
				some, all = some || a.escaped[i], all && a.escaped[i]
			}
			if some && !all {
				changed = true
				for _, i := range set {
					a.escaped[i] = true
				}
			}
		}
	}
}
