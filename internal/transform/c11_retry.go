package transform

import (
	"slices"

	"fencepost/internal/analysis"
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

// retry looks for such rounds.
type retry struct {
	f    *ir.Func
	live func(ir.Loc, ir.Reg) bool
	cas  *ir.Edge
	env  map[ir.Reg]*ir.Expr // values in terms of those at the beginning of the round
	next ir.Reg              // a register that the function does not have: a value that is not known
	set  []ir.Reg            // registers that every round sets before the compare-exchange has its result
}

// longestRetry bounds the edges of a round, each way.
const longestRetry = 40

// retriesAtOnce reports whether a failure of the compare-exchange of edge i leads back to where its thread was before.
func retriesAtOnce(f *ir.Func, i int) bool {
	r := &retry{f: f, live: analysis.Liveness(f), cas: &f.Edges[i]}
	// The edges that lead to the compare-exchange, on the only way there.
	var way []*ir.Edge
	for at := r.cas.From; ; {
		if r.round(at, way) {
			return true
		}
		e := r.onlyEdgeTo(at)
		if e == nil || len(way) == longestRetry || !onlyReads(&e.Op) {
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

// onlyReads reports whether an operation only computes, or loads.
func onlyReads(op *ir.Op) bool {
	return op.Kind == ir.Assign || op.Kind == ir.Nop || op.Kind == ir.Assume || op.Kind == ir.Load
}

// round reports whether a round that begins at a location, goes on along a way to the compare-exchange, and fails there, ends
// where it began, in the same state.
func (r *retry) round(start ir.Loc, way []*ir.Edge) bool {
	r.env, r.next, r.set = map[ir.Reg]*ir.Expr{}, ir.Reg(len(r.f.Regs)), nil
	for _, e := range way {
		r.do(&e.Op)
	}
	op := &r.cas.Op
	expected := r.value(op.Val)
	for _, reg := range []ir.Reg{op.Dst, op.Dst2, op.DstMask} {
		r.assign(reg, r.unknown())
	}
	r.assign(op.Dst, expected)
	r.assign(op.Dst2, ir.Int(0))
	for at, n := r.cas.To, 0; at != start; n++ {
		e := r.nextEdge(at)
		if e == nil || n == longestRetry || e.Op.Kind == ir.Load {
			return false
		}
		set := r.set
		r.do(&e.Op)
		r.set = set // what is set only after a failure counts
		at = e.To
	}
	for reg, now := range r.env {
		if !now.Equal(ir.R(reg)) && (r.live(start, reg) || !slices.Contains(r.set, reg)) {
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
		if found != nil || !onlyReads(&e.Op) {
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
		r.assign(op.DstMask, r.unknown())
		r.assign(op.Dst2, r.unknown())
		r.assign(op.Dst, v)
	case ir.Load:
		for _, reg := range []ir.Reg{op.Dst, op.Dst2, op.DstMask} {
			r.assign(reg, r.unknown())
		}
	}
}

func (r *retry) assign(reg ir.Reg, v *ir.Expr) {
	if reg != ir.NoReg {
		r.env[reg] = v
		r.set = append(r.set, reg)
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
