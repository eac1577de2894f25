package memory

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Havoc and abstract loads choose a value that satisfies a constraint. The shape of the
// constraint gives the candidates: a comparison of the new value with something else gives an
// interval, && intersects, || and ?: unite. Every candidate is then tested, so the intervals may
// be too large.

// ErrUnbounded says that the values of a havoc cannot be listed.
var ErrUnbounded = errors.New("the values a havoc may pick are not bounded by its range or constraint")

// maxChoices bounds how many values one havoc may try.
const maxChoices = 1 << 16

// Unlisted returns an edge that chooses among too many values to try one by one, whatever the
// state, or nil. Whether another edge does may depend on the state.
func Unlisted(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if (op.Kind == ir.Havoc || op.Kind == ir.AbstractLoad) && op.Cond == nil &&
				(!op.Range.Bounded || op.Range.Lo <= op.Range.Hi && uint64(op.Range.Hi)-uint64(op.Range.Lo) >= maxChoices) {
				return &f.Edges[i]
			}
		}
	}
	return nil
}

// bounds is a compiled tree of interval constraints.
type bounds struct {
	op     ir.ExprOp // a comparison, LAnd, LOr, or ExprUnset: no constraint
	x, y   *bounds
	limit  code              // comparison: the new value is op limit
	values analysis.Interval // the range of the operation; all numbers if it has none
	test   code
}

func newBounds(p *ir.Program, op *ir.Op) *bounds {
	b := boundsOf(p, op.Cond, op.Dst)
	b.values = analysis.AllNumbers
	if op.Range.Bounded {
		b.values = analysis.Between(op.Range.Lo, op.Range.Hi)
	}
	b.test = compile(p, op.Cond)
	return b
}

func boundsOf(p *ir.Program, e *ir.Expr, r ir.Reg) *bounds {
	if e == nil {
		return &bounds{}
	}
	switch e.Op {
	case ir.LAnd, ir.LOr:
		return &bounds{op: e.Op, x: boundsOf(p, e.X, r), y: boundsOf(p, e.Y, r)}
	case ir.Ite:
		return &bounds{op: ir.LOr, x: boundsOf(p, e.Y, r), y: boundsOf(p, e.Z, r)}
	case ir.Const:
		if e.Value == 0 { // no value at all
			return &bounds{op: ir.Lt, limit: code{kind: codeConst, k: math.MinInt64}}
		}
	case ir.Eq, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if !e.Type.Signed && e.Op != ir.Eq {
			break
		}
		mirror := map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Eq, ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le}
		if e.X.Op == ir.RegRef && e.X.Reg == r && !mentions(e.Y, r) {
			return &bounds{op: e.Op, limit: compile(p, e.Y)}
		}
		if e.Y.Op == ir.RegRef && e.Y.Reg == r && !mentions(e.X, r) {
			return &bounds{op: mirror[e.Op], limit: compile(p, e.X)}
		}
	}
	return &bounds{}
}

func mentions(e *ir.Expr, r ir.Reg) bool {
	found := false
	e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && e.Reg == r })
	return found
}

// intervals returns a superset of the values that satisfy the constraint. It is not on a hot
// path and may allocate.
func (b *bounds) intervals(regs []int64, seen int64) []analysis.Interval {
	switch b.op {
	case ir.LAnd:
		var out []analysis.Interval
		for _, x := range b.x.intervals(regs, seen) {
			for _, y := range b.y.intervals(regs, seen) {
				if both := x.Intersect(y); !both.Empty() {
					out = append(out, both)
				}
			}
		}
		return merge(out)
	case ir.LOr:
		return merge(append(b.x.intervals(regs, seen), b.y.intervals(regs, seen)...))
	case ir.ExprUnset:
		return []analysis.Interval{analysis.AllNumbers}
	}
	k, all := b.limit.eval(regs, seen), analysis.AllNumbers
	switch b.op {
	case ir.Eq:
		all = analysis.Between(k, k)
	case ir.Le:
		all.Hi = k
	case ir.Ge:
		all.Lo = k
	case ir.Lt:
		if k == math.MinInt64 {
			return nil
		}
		all.Hi = k - 1
	case ir.Gt:
		if k == math.MaxInt64 {
			return nil
		}
		all.Lo = k + 1
	}
	return []analysis.Interval{all}
}

// merge sorts intervals and unites adjacent and overlapping ones, so that there are never more
// of them than the constraint has comparisons.
func merge(list []analysis.Interval) []analysis.Interval {
	slices.SortFunc(list, func(a, b analysis.Interval) int { return cmp.Compare(a.Lo, b.Lo) })
	var out []analysis.Interval
	for _, x := range list {
		if n := len(out); n > 0 && (out[n-1].Hi == math.MaxInt64 || x.Lo <= out[n-1].Hi+1) {
			out[n-1].Hi = max(out[n-1].Hi, x.Hi)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// choices appends one step per value that dst may take.
func (s *State) choices(one Step, e *edge, regs []int64, seen int64, out []Step) []Step {
	b := e.bounds
	ranges := b.intervals(regs, seen)
	first := len(out)
	old := regs[e.dst]
	defer func() { regs[e.dst] = old }()
	for _, r := range ranges {
		if r = r.Intersect(b.values); r.Empty() {
			continue
		}
		if uint64(r.Hi-r.Lo) >= maxChoices {
			s.Err = ErrUnbounded
			return out[:first]
		}
		for v := r.Lo; ; v++ {
			regs[e.dst] = v
			if b.test.kind == codeNone || b.test.eval(regs, seen) != 0 {
				one.Choice = v
				out = append(out, one)
			}
			if v == r.Hi {
				break
			}
		}
	}
	return out
}
