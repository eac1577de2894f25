//go:build !fencepost_small

package undefined

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// What may be undefined, node by node (undefined_counts.go), and so location by location: registers, and bytes of objects that were automatic variables. The
// analysis is forward and over-approximates; sets grow until nothing changes. Of a store to an object whose bytes are
// known, the bytes are defined afterwards. As long as the address of an object is in no register, all its accesses are
// known. An object whose address is taken while it may hold undefined bits, or that gets such bits afterwards, is no
// longer tracked by location (undefiner.shared), as objects and blocks that other threads may reach.
//
// Only registers that can be undefined at all have a bit in the sets. In a function that is too large for sets at each
// location, these registers count as undefined everywhere.

// maxUndefinedBits bounds the size of all sets of a function, as if they had nothing in common.
const maxUndefinedBits = 1 << 33

// maxUndefinedObject is the largest object whose bytes are tracked one by one.
const maxUndefinedObject = 512

// undefinedFlow is the analysis of one function.
type undefinedFlow struct {
	u       *undefiner
	f       *ir.Func
	number  map[ir.Reg]int          // of the registers that may be undefined
	first   map[ir.ObjectID]int     // number of the first byte of an object that is tracked
	away    map[ir.ObjectID]int     // number that says that the address of a tracked object may have been taken
	bits    int                     // numbers in use
	walk    []flowNode              // what the analysis walks over; the first is the entry
	sets    []analysis.Numbers[int] // by node
	reached []bool                  // by node
	at      []analysis.Numbers[int] // by location: the union over its nodes
	reads   map[ir.EdgeID]bool      // loads that may read undefined bytes of objects that are tracked
	coarse  bool                    // the function is too large: everything with a number may be undefined everywhere
}

func newUndefinedFlow(u *undefiner, id ir.FuncID) *undefinedFlow {
	f := u.p.Funcs[id]
	w := &undefinedFlow{
		u: u, f: f, number: map[ir.Reg]int{}, first: map[ir.ObjectID]int{}, away: map[ir.ObjectID]int{},
		at: make([]analysis.Numbers[int], len(f.Locs)), reads: map[ir.EdgeID]bool{},
	}
	for i := range f.Edges {
		op := &f.Edges[i].Op
		if (op.Kind != ir.Nop && op.Kind != ir.Assign) || !op.Block.Undef {
			continue
		}
		size := u.p.Objects[op.Obj].Size
		if u.known[op.Obj] || size > maxUndefinedObject {
			u.shared[op.Obj] = true
		} else if _, known := w.first[op.Obj]; !known {
			w.first[op.Obj], w.away[op.Obj] = w.bits, w.bits+int(size)
			w.bits += int(size) + 1
		}
	}
	w.walk = w.nodes()
	return w
}

// candidates numbers the registers that may be undefined at some location, and reports whether there are new ones.
func (w *undefinedFlow) candidates() bool {
	before := w.bits
	add := func(r ir.Reg) {
		if _, known := w.number[r]; !known && r != ir.NoReg {
			w.number[r] = w.bits
			w.bits++
		}
	}
	for r := range w.f.Regs {
		if w.f.Regs[r].Undef != (ir.Type{}) {
			add(ir.Reg(r))
		}
	}
	for grown := true; grown; {
		n := w.bits
		for i := range w.f.Edges {
			e := &w.f.Edges[i]
			switch e.Op.Kind {
			case ir.Assign:
				if w.mentions(e.Op.Val, nil) {
					add(e.Op.Dst)
				}
			case ir.Load, ir.RMW, ir.Await:
				if w.tracks(e) || w.u.mayBeShared(e) {
					add(e.Op.Dst)
				}
			}
		}
		grown = w.bits > n
	}
	return w.bits > before
}

// tracked reports whether an access may reach an object that is tracked.
func (w *undefinedFlow) tracks(e *ir.Edge) bool {
	for _, r := range w.u.foot[e.ID].Ranges {
		found := false
		w.u.find(r, func(o ir.ObjectID) {
			_, is := w.first[o]
			found = found || is
		})
		if found {
			return true
		}
	}
	return false
}

// mentions reports whether an expression mentions something that may be undefined: in a set, or, if the set is nil,
// anywhere.
func (w *undefinedFlow) mentions(e *ir.Expr, in *analysis.Numbers[int]) bool {
	found := false
	e.Walk(func(x *ir.Expr) {
		if x.Undef {
			found = true
		}
		if x.Op == ir.RegRef {
			n, is := w.number[x.Reg]
			found = found || is && (in == nil || in.Has(n))
		}
	})
	return found
}

// mayBe reports whether a register may be undefined at a location.
func (w *undefinedFlow) mayBe(l ir.Loc, r ir.Reg) bool {
	n, is := w.number[r]
	return is && (w.coarse || w.at[l].Has(n))
}

// unsure reports whether an expression may be undefined at a location.
func (w *undefinedFlow) unsure(l ir.Loc, e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) { found = found || x.Undef || x.Op == ir.RegRef && w.mayBe(l, x.Reg) })
	return found
}

// solve computes the sets.
func (w *undefinedFlow) solve() {
	if w.candidates() {
		w.u.changed = true
		w.sets = nil
	}
	if w.bits > 0 && len(w.walk) > maxUndefinedBits/w.bits {
		w.walk, w.sets = w.expand(nil, len(w.f.Locs)+1), nil
	}
	w.coarse = w.bits > 0 && len(w.f.Locs) > maxUndefinedBits/w.bits
	if w.coarse {
		w.solveCoarsely()
		return
	}
	if w.sets == nil {
		w.sets, w.reached = make([]analysis.Numbers[int], len(w.walk)), make([]bool, len(w.walk))
		for n := range w.sets {
			w.sets[n] = analysis.NoNumbers[int](w.bits)
		}
		for r := range w.f.Regs {
			if w.f.Regs[r].Undef != (ir.Type{}) {
				w.sets[0].Put(w.number[ir.Reg(r)], true)
			}
		}
		w.reached[0] = true
	}
	work := analysis.NewWaiting(w.order())
	for n, reached := range w.reached {
		if reached {
			work.Add(int32(n))
		}
	}
	for n, more := work.Next(); more; n, more = work.Next() {
		for _, s := range w.walk[n].steps {
			next := w.sets[n]
			w.edge(&w.f.Edges[s.edge], s.foot, &next)
			grown := w.sets[s.to].Add(next) || !w.reached[s.to]
			w.reached[s.to] = true
			if grown {
				work.Add(s.to)
			}
		}
	}
	w.join()
}

// order returns the nodes in an order in which a node comes after its predecessors, except in loops.
func (w *undefinedFlow) order() []int32 {
	at := make([][]int32, len(w.f.Locs))
	for n := range w.walk {
		at[w.walk[n].at] = append(at[w.walk[n].at], int32(n))
	}
	order := make([]int32, 0, len(w.walk))
	for _, l := range analysis.ReversePostorder(w.f) {
		order = append(order, at[l]...)
	}
	return order
}

// solveCoarsely notes what may be undefined in a function that is too large for sets.
func (w *undefinedFlow) solveCoarsely() {
	for i := range w.f.Edges {
		e := &w.f.Edges[i]
		if w.writes(e, nil) {
			w.u.spoil(e)
		}
		for o := range w.first {
			w.u.changed = w.u.changed || !w.u.shared[o]
			w.u.shared[o] = true
		}
	}
}

// join makes the sets of locations from those of nodes.
func (w *undefinedFlow) join() {
	for l := range w.at {
		w.at[l] = analysis.NoNumbers[int](w.bits)
	}
	for n, set := range w.sets {
		w.at[w.walk[n].at].Add(set)
	}
}

// edge changes the set before an edge to the set after it. foot has the bytes that the operation may access.
func (w *undefinedFlow) edge(e *ir.Edge, foot analysis.Footprint, set *analysis.Numbers[int]) {
	op := &e.Op
	put := func(r ir.Reg, in bool) {
		if n, is := w.number[r]; is {
			set.Put(n, in)
		}
	}
	w.u.takes(e, func(o ir.ObjectID) { w.take(o, set) })
	w.u.checked(op, w.isMain(), func(e *ir.Expr) { w.known(e, set) })
	switch op.Kind {
	case ir.Assign:
		put(op.Dst, w.mentions(op.Val, set))
		w.undefine(op, set)
	case ir.Nop:
		w.undefine(op, set)
	case ir.Load, ir.Await, ir.RMW:
		tracked := w.readsUndefined(foot, set)
		if tracked {
			w.reads[e.ID] = true
		}
		unsure := tracked || w.u.mayBeShared(e)
		if op.Kind == ir.RMW {
			w.write(e, foot, set)
		}
		put(op.Dst, unsure)
		put(op.Dst2, false)
	case ir.Store:
		w.write(e, foot, set)
	default:
		op.Defs(func(r ir.Reg) { put(r, false) })
	}
}

// take notes that the address of an object is a value from now on.
func (w *undefinedFlow) take(o ir.ObjectID, set *analysis.Numbers[int]) {
	n, is := w.away[o]
	if !is {
		return
	}
	set.Put(n, true)
	first := w.first[o]
	for k := range int(w.u.p.Objects[o].Size) {
		if set.Has(first + k) {
			w.share(o)
		}
	}
}

// share notes that an object may hold undefined bits when others access it.
func (w *undefinedFlow) share(o ir.ObjectID) {
	if !w.u.shared[o] {
		w.u.shared[o], w.u.changed = true, true
	}
}

// known removes the registers that a check has found to be defined: where an expression is defined, the operands of
// an operator that hides no bit of them are.
func (w *undefinedFlow) known(e *ir.Expr, set *analysis.Numbers[int]) {
	switch {
	case e == nil:
	case e.Op == ir.RegRef:
		if n, is := w.number[e.Reg]; is {
			set.Put(n, false)
		}
	case e.Type.Bits != 64:
	case e.Op == ir.Neg || e.Op == ir.BitNot:
		w.known(e.X, set)
	case (e.Op == ir.Add || e.Op == ir.Sub || e.Op == ir.Xor) && !e.X.Equal(e.Y):
		w.known(e.X, set)
		w.known(e.Y, set)
	}
}

// undefine adds the bytes of an object whose contents become undefined.
func (w *undefinedFlow) undefine(op *ir.Op, set *analysis.Numbers[int]) {
	if !op.Block.Undef {
		return
	}
	if first, is := w.first[op.Obj]; is {
		for k := range int(w.u.p.Objects[op.Obj].Size) {
			set.Put(first+k, true)
		}
		if set.Has(w.away[op.Obj]) {
			w.share(op.Obj)
		}
	}
}

// readsUndefined reports whether a load may read a byte of the set.
func (w *undefinedFlow) readsUndefined(foot analysis.Footprint, set *analysis.Numbers[int]) bool {
	found := false
	w.eachByte(foot, func(n int) { found = found || set.Has(n) })
	return found
}

// eachByte calls f on the numbers of the bytes that an access may reach.
func (w *undefinedFlow) eachByte(foot analysis.Footprint, f func(int)) {
	for _, r := range foot.Ranges {
		w.u.find(r, func(o ir.ObjectID) {
			first, is := w.first[o]
			if !is {
				return
			}
			at := int64(w.u.p.Objects[o].Addr)
			for b := max(r.Lo, at); b < min(r.Hi, at+w.u.p.Objects[o].Size); b++ {
				f(first + int(b-at))
			}
		})
	}
}

// writes reports whether a store or a read-modify-write may write undefined bits.
func (w *undefinedFlow) writes(e *ir.Edge, in *analysis.Numbers[int]) bool {
	switch op := &e.Op; {
	case op.Kind == ir.Store, op.Kind == ir.RMW && op.RMW == ir.Xchg:
		return w.mentions(op.Val, in)
	case op.Kind == ir.RMW && op.RMW == ir.Cas:
		return w.mentions(op.Val2, in)
	}
	return false
}

// write changes the set by a store or a read-modify-write.
func (w *undefinedFlow) write(e *ir.Edge, foot analysis.Footprint, set *analysis.Numbers[int]) {
	unsure := w.writes(e, set)
	exact := !foot.Anything && len(foot.Ranges) == 1 && foot.Ranges[0].Hi-foot.Ranges[0].Lo == int64(e.Op.Type.Size()) && (e.Op.Kind == ir.Store || e.Op.RMW == ir.Xchg)
	if !unsure && !exact {
		return
	}
	w.eachByte(foot, func(n int) {
		if unsure || exact {
			set.Put(n, unsure)
		}
	})
	if unsure {
		w.spoilOthers(e, foot, set)
	}
}

// spoilOthers notes undefined bits in the objects and blocks that a write may reach and that others may access.
func (w *undefinedFlow) spoilOthers(e *ir.Edge, foot analysis.Footprint, set *analysis.Numbers[int]) {
	if foot.Anything {
		w.u.spoil(e)
		return
	}
	for _, r := range foot.Ranges {
		w.u.find(r, func(o ir.ObjectID) {
			if n, is := w.away[o]; !is || set.Has(n) {
				w.share(o)
			}
		})
	}
}

// mayRead reports whether a load may read undefined bytes of an object that is tracked.
func (w *undefinedFlow) mayRead(e *ir.Edge) bool { return w.reads[e.ID] || w.coarse && w.tracks(e) }
