package ir

import "slices"

// Where addresses go. Of one automaton, every register is given the set of objects
// and blocks whose addresses it may hold, whatever the order of the edges. An
// address stays *confined* if it is used for nothing but reaching the memory it
// belongs to: it may be copied to registers, moved by an offset, compared, and
// accessed through. Storing it, passing it to a thread or computing with it in any
// other way lets it go, and so does an access that may mean something else as well.
//
// The sets say what a program that keeps inside its objects does. Programs that
// reach one object from the address of another are wrong; whoever relies on
// confinement must notice them.

// Source is something with an address: a static object, or what an edge allocates.
type Source struct {
	Object ObjectID // NoObject: a block
	Alloc  EdgeID
}

// Flow is where the addresses of an automaton go.
type Flow struct {
	f       *Func
	sources []Source
	index   map[Source]int
	holds   [][]int // by register: sources, ascending
	other   []bool  // by register: may hold something else
	loose   []bool  // by source: not confined
	reaches map[EdgeID][]int
}

// NewFlow computes where addresses go in an automaton of a flat program.
func NewFlow(f *Func) *Flow {
	w := &Flow{
		f: f, index: map[Source]int{}, holds: make([][]int, len(f.Regs)), other: make([]bool, len(f.Regs)),
		reaches: map[EdgeID][]int{},
	}
	for r := range f.Params {
		w.other[r] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			changed = w.define(&f.Edges[i]) || changed
		}
	}
	for i := range f.Edges {
		w.use(&f.Edges[i])
	}
	w.spread()
	return w
}

// Sources calls f on everything whose address the automaton mentions, with whether
// the address stays confined.
func (w *Flow) Sources(f func(s Source, confined bool)) {
	for i, s := range w.sources {
		f(s, !w.loose[i])
	}
}

// Reaches is the sources an access, or a free, may reach; nil if that is not known.
func (w *Flow) Reaches(e *Edge) []Source {
	var out []Source
	for _, i := range w.reaches[e.ID] {
		out = append(out, w.sources[i])
	}
	return out
}

// Holders are the registers that may hold an address of s.
func (w *Flow) Holders(s Source) []Reg {
	var out []Reg
	if i, ok := w.index[s]; ok {
		for r := range w.holds {
			if slices.Contains(w.holds[r], i) {
				out = append(out, Reg(r))
			}
		}
	}
	return out
}

func (w *Flow) source(s Source) int {
	i, ok := w.index[s]
	if !ok {
		i = len(w.sources)
		w.index[s] = i
		w.sources, w.loose = append(w.sources, s), append(w.loose, false)
	}
	return i
}

// join adds to a set and reports whether it grew.
func join(set *[]int, more []int) bool {
	grew := false
	for _, x := range more {
		if at, ok := slices.BinarySearch(*set, x); !ok {
			*set = slices.Insert(slices.Clip(*set), at, x)
			grew = true
		}
	}
	return grew
}

// define gives the registers an edge writes what they may hold.
func (w *Flow) define(e *Edge) bool {
	op := &e.Op
	switch {
	case op.Kind == Assign:
		set, other := w.value(op.Val, nil)
		grew := join(&w.holds[op.Dst], set)
		if other && !w.other[op.Dst] {
			w.other[op.Dst], grew = true, true
		}
		return grew
	case op.Kind == Alloc && op.Stack:
		return join(&w.holds[op.Dst], []int{w.source(Source{NoObject, e.ID})})
	}
	grew := false
	op.Defs(func(r Reg) {
		grew = grew || !w.other[r]
		w.other[r] = true
	})
	return grew
}

// value is the sources whose address an expression may be, and whether it may be
// something else. Sources whose address goes elsewhere are handed to lost.
func (w *Flow) value(e *Expr, lost func([]int)) (set []int, other bool) {
	let := func(s []int) {
		if lost != nil && len(s) > 0 {
			lost(s)
		}
	}
	switch {
	case e.Op == RegRef:
		return w.holds[e.Reg], w.other[e.Reg]
	case e.Op == AddrOf:
		return []int{w.source(Source{e.Obj, NoEdge})}, false
	case e.Op == Ite:
		w.value(e.X, lost)
		y, o1 := w.value(e.Y, lost)
		z, o2 := w.value(e.Z, lost)
		both := slices.Clone(y)
		join(&both, z)
		return both, o1 || o2
	case (e.Op == Add || e.Op == Sub) && e.Type.Bits == 64:
		x, o1 := w.value(e.X, lost)
		y, o2 := w.value(e.Y, lost)
		switch {
		case len(x) > 0 && len(y) == 0:
			return x, o1
		case len(y) > 0 && len(x) == 0 && e.Op == Add:
			return y, o2
		case e.Op == Sub && len(x) > 0: // a distance
			return nil, true
		}
		let(x)
		let(y)
		return nil, true
	case e.Op.IsCompare() || e.Op == LAnd || e.Op == LOr || e.Op == Not:
		for _, x := range []*Expr{e.X, e.Y} {
			if x != nil {
				w.value(x, lost)
			}
		}
		return nil, true
	}
	for _, x := range []*Expr{e.X, e.Y, e.Z} {
		if x != nil {
			s, _ := w.value(x, lost)
			let(s)
		}
	}
	return nil, true
}

// use marks the sources that an edge does not keep confined.
func (w *Flow) use(e *Edge) {
	op := &e.Op
	lose := func(set []int) {
		for _, i := range set {
			w.loose[i] = true
		}
	}
	lost := func(x *Expr) {
		if x != nil {
			set, _ := w.value(x, lose)
			lose(set)
		}
	}
	switch op.Kind {
	case Load, Store, AbstractLoad, Await, RMW, Free:
		set, other := w.value(op.Addr, lose)
		if other || op.Kind == Free && !(op.Stack && w.oneBlock(set)) {
			lose(set)
		} else {
			w.reaches[e.ID] = set
		}
		lost(op.Val)
		lost(op.Val2)
		lost(op.Cond)
	case Assign, Assume, Assert, Havoc:
		for _, x := range []*Expr{op.Val, op.Cond} {
			if x != nil {
				w.value(x, lose)
			}
		}
	default:
		for _, x := range append([]*Expr{op.Addr, op.Val, op.Val2, op.Cond}, op.Args...) {
			lost(x)
		}
	}
}

func (w *Flow) oneBlock(set []int) bool {
	return len(set) == 1 && w.sources[set[0]].Object == NoObject
}

// spread lets go of what is reached together with something that is not confined.
func (w *Flow) spread() {
	for changed := true; changed; {
		changed = false
		for _, set := range w.reaches {
			any, all := false, true
			for _, i := range set {
				any, all = any || w.loose[i], all && w.loose[i]
			}
			if any && !all {
				changed = true
				for _, i := range set {
					w.loose[i] = true
				}
			}
		}
	}
}
