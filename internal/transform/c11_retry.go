package transform

import (
	"fencepost/internal/ir"
)

// A weak compare-exchange in a loop mostly tries again at once. A failure without a reason is of no consequence then: the
// thread comes back to where it was before, in the same state, and has only read since. An execution with such a round is
// one without it that has more reads. Reads whose values are not used only add to what orders and synchronises, so the
// execution without the round is consistent, too, with the same values. So the failure is left out.
//
// Data races stay. If the next round reads the same values, it has the same accesses, and fewer of them are ordered. If it
// reads another value, the compare-exchange of this round could have read that one already, since the thread writes nothing
// in between, and would have failed for that reason.
//
// A function that gets the address of the expected value leaves a variable in memory that only its thread accesses
// (c11_retry_private.go). It counts as a register.

// retry looks for such rounds.
type retry struct {
	f       *ir.Func
	private *cellsOf
	live    func(ir.Loc, ir.Reg) bool
	cas     *ir.Edge
	env     map[ir.Reg]*ir.Expr // values in terms of those at the beginning of the round
	next    ir.Reg              // a register that the function does not have: a value that is not known
	typed   map[ir.Reg]ir.Type  // values that a load of this type has read
}

// longestRetry bounds the edges of a round, each way.
const longestRetry = 40

// retriesAtOnce reports whether a failure of the compare-exchange of edge i leads back to where its thread was before.
func retriesAtOnce(private *privateCells, f *ir.Func, i int) bool {
	r := &retry{f: f, private: private.of(f), cas: &f.Edges[i]}
	r.live = r.private.liveness(f)
	// The edges that lead to the compare-exchange, on the only way there.
	var way []*ir.Edge
	for at := r.cas.From; ; {
		if r.round(at, way) {
			return true
		}
		e := r.onlyEdgeTo(at)
		if e == nil || len(way) == longestRetry || !r.onlyReads(&e.Op) {
			return false
		}
		way, at = append([]*ir.Edge{e}, way...), e.From
	}
}

// onlyEdgeTo returns the edge to a location if there is one only, and it is not where the function begins.
func (r *retry) onlyEdgeTo(l ir.Loc) *ir.Edge {
	var found *ir.Edge
	for i := range r.f.Edges {
		if e := &r.f.Edges[i]; e.To == l {
			if found != nil {
				return nil
			}
			found = e
		}
	}
	if l == r.f.Entry {
		return nil
	}
	return found
}

// onlyReads reports whether an operation only computes, or loads, or stores to what no other thread accesses.
func (r *retry) onlyReads(op *ir.Op) bool {
	return op.Kind == ir.Assign || op.Kind == ir.Nop || op.Kind == ir.Assume || op.Kind == ir.Load || r.private.accessed(op) != ir.NoReg
}

// round reports whether a round that begins at a location, goes on along a way to the compare-exchange, and fails there, ends
// where it began, in the same state.
func (r *retry) round(start ir.Loc, way []*ir.Edge) bool {
	r.env, r.typed, r.next = map[ir.Reg]*ir.Expr{}, map[ir.Reg]ir.Type{}, r.private.last
	r.private.types(r.typed)
	for _, e := range way {
		r.do(&e.Op)
	}
	op := &r.cas.Op
	expected := r.value(op.Val)
	for _, reg := range []ir.Reg{op.Dst, op.Dst2, op.Undef.Dst} {
		r.assign(reg, r.unknown())
	}
	r.assign(op.Dst, expected)
	r.assign(op.Dst2, ir.Int(0))
	for at, n := r.cas.To, 0; at != start; n++ {
		e := r.nextEdge(at)
		if e == nil || n == longestRetry || e.Op.Kind == ir.Load && r.private.accessed(&e.Op) == ir.NoReg {
			return false
		}
		r.do(&e.Op)
		at = e.To
	}
	for reg, now := range r.env {
		if !now.Equal(ir.R(reg)) && (r.live(start, reg) || !r.private.overwritten(r.f, reg)[start]) {
			return false
		}
	}
	return true
}

// nextEdge returns the edge that a thread takes, as far as that is known.
func (r *retry) nextEdge(at ir.Loc) *ir.Edge {
	var found *ir.Edge
	for i := range r.f.Edges {
		e := &r.f.Edges[i]
		if e.From != at {
			continue
		}
		if e.Op.Kind == ir.Assume {
			v, known := r.value(e.Op.Val).IsConst()
			if !known {
				return nil
			}
			if v == 0 {
				continue
			}
		}
		if found != nil || !r.onlyReads(&e.Op) {
			return nil
		}
		found = e
	}
	return found
}

// do computes what an operation sets.
func (r *retry) do(op *ir.Op) {
	switch op.Kind {
	case ir.Assign:
		v := r.value(op.Val)
		r.assign(op.Undef.Dst, r.unknown())
		r.assign(op.Dst2, r.unknown())
		r.assign(op.Dst, v)
		r.assign(r.private.accessed(op), r.unknown())
	case ir.Load:
		v := r.loaded(op)
		for _, reg := range []ir.Reg{op.Dst2, op.Undef.Dst} {
			r.assign(reg, r.unknown())
		}
		r.assign(op.Dst, v)
	case ir.Store:
		r.assign(r.private.accessed(op), r.value(op.Val))
	case ir.Nop:
		r.assign(r.private.accessed(op), r.unknown())
	}
}

// loaded returns the value that a load reads. It is known if no other thread can write there, and the store does not
// change the value.
func (r *retry) loaded(op *ir.Op) *ir.Expr {
	if c := r.private.accessed(op); c != ir.NoReg {
		v := r.value(ir.R(c))
		if n, ok := v.IsConst(); ok && op.Type.Wrap(n) == n || v.Op == ir.RegRef && r.typed[v.Reg] == op.Type {
			return v
		}
	}
	v := r.unknown()
	r.typed[v.Reg] = op.Type
	return v
}

func (r *retry) assign(reg ir.Reg, v *ir.Expr) {
	if reg != ir.NoReg {
		r.env[reg] = v
	}
}

// unknown returns a value of which nothing is known.
func (r *retry) unknown() *ir.Expr {
	r.next++
	return ir.R(r.next)
}

// value returns an expression in terms of the registers at the beginning of the round.
func (r *retry) value(e *ir.Expr) *ir.Expr {
	if e == nil {
		return r.unknown()
	}
	if e.Op == ir.Ite {
		if c, known := r.value(e.X).IsConst(); known {
			if c != 0 {
				return r.value(e.Y)
			}
			return r.value(e.Z)
		}
	}
	if e.X == nil {
		if v, ok := r.env[e.Reg]; e.Op == ir.RegRef && ok {
			return v
		}
		if e.Op != ir.RegRef && e.Op != ir.Const && e.Op != ir.AddrOf || e.Undef {
			return r.unknown()
		}
		return e
	}
	switch {
	case e.Op.IsUnary():
		return ir.Unary(e.Op, e.Type, r.value(e.X))
	case e.Op.IsBinary():
		return ir.Binary(e.Op, e.Type, r.value(e.X), r.value(e.Y))
	}
	return r.unknown()
}
