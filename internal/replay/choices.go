package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"fencepost/internal/ir"
)

// The values of havocs and abstract loads. The constraint gives bounds, and every value
// between them is tried.

// ErrUnbounded means that a havoc or abstract load has too many values to try.
var ErrUnbounded = errors.New("value range of havoc not bounded")

const maxChoices = 65536

// span is the set of numbers from lo to hi, both included.
type span struct{ lo, hi int64 }

// spans is a set of numbers, as disjoint spans in ascending order.
type spans []span

func everything() spans { return spans{{math.MinInt64, math.MaxInt64}} }

func union(a, b spans) spans {
	sorted := slices.Concat(a, b)
	slices.SortFunc(sorted, func(x, y span) int { return cmp.Compare(x.lo, y.lo) })
	var out spans
	for _, s := range sorted {
		if last := len(out) - 1; last >= 0 && s.lo <= out[last].hi {
			out[last].hi = max(out[last].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func intersect(a, b spans) spans {
	var out spans
	for _, x := range a {
		for _, y := range b {
			if lo, hi := max(x.lo, y.lo), min(x.hi, y.hi); lo <= hi {
				out = append(out, span{lo, hi})
			}
		}
	}
	return out
}

// small reports whether the set has at most maxChoices elements.
func (a spans) small() bool {
	var n uint64
	for _, s := range a {
		width := uint64(s.hi) - uint64(s.lo)
		if width >= maxChoices {
			return false
		}
		n += width + 1
	}
	return n <= maxChoices
}

// choices returns the values that Dst may get if the operation reads seen. If there are
// too many, it sets the error of the turn.
func (c *turn) choices(seen int64) []int64 {
	values, err := c.values(seen, c.m.chosen)
	if err != nil {
		c.err = fmt.Errorf("thread %s, edge %d: %w", c.p.Threads[c.t].Name, c.edge.ID, err)
	}
	return values
}

// values returns the values that Dst may get if the operation reads seen. If there are
// too many to list, it tries only the chosen one; it fails if chosen is nil.
func (o *operands) values(seen int64, chosen *int64) ([]int64, error) {
	set := everything()
	if o.op.Cond != nil {
		set = o.bounds(o.op.Cond, seen)
	}
	if o.op.Range.Bounded {
		set = intersect(set, spans{{o.op.Range.Lo, o.op.Range.Hi}})
	}
	if !set.small() && chosen != nil {
		set = intersect(set, spans{{*chosen, *chosen}})
	}
	if !set.small() {
		return nil, ErrUnbounded
	}
	var out []int64
	regs := slices.Clone(o.regs)
	for _, s := range set {
		for v := s.lo; ; v++ {
			regs[o.op.Dst] = v
			if o.op.Cond == nil || o.op.Cond.Eval(ir.Env{Regs: regs, Seen: seen, Prog: o.p}) != 0 {
				out = append(out, v)
			}
			if v == s.hi {
				break
			}
		}
	}
	return out, nil
}

// bounds returns a set that contains every value of Dst for which e is true.
func (o *operands) bounds(e *ir.Expr, seen int64) spans {
	switch {
	case e.Op == ir.LAnd:
		return intersect(o.bounds(e.X, seen), o.bounds(e.Y, seen))
	case e.Op == ir.LOr:
		return union(o.bounds(e.X, seen), o.bounds(e.Y, seen))
	case e.Op == ir.Ite:
		return union(o.bounds(e.Y, seen), o.bounds(e.Z, seen))
	case e.Op == ir.Const && e.Value == 0:
		return nil
	case !e.Op.IsCompare() || !e.Type.Signed && e.Op != ir.Eq:
		return everything()
	case o.isDst(e.X) && !o.mentionsDst(e.Y):
		return compared(e.Op, o.evalSeen(e.Y, seen))
	case o.isDst(e.Y) && !o.mentionsDst(e.X):
		flip := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le, ir.Eq: ir.Eq, ir.Ne: ir.Ne}
		return compared(flip[e.Op], o.evalSeen(e.X, seen))
	default:
		return everything()
	}
}

func (o *operands) isDst(e *ir.Expr) bool { return e.Op == ir.RegRef && e.Reg == o.op.Dst }

func (o *operands) mentionsDst(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) { found = found || o.isDst(x) })
	return found
}

// compared returns a set that contains every number x for which "x op v" is true.
func compared(op ir.ExprOp, v int64) spans {
	switch op {
	case ir.Eq:
		return spans{{v, v}}
	case ir.Le:
		return spans{{math.MinInt64, v}}
	case ir.Ge:
		return spans{{v, math.MaxInt64}}
	case ir.Lt:
		if v == math.MinInt64 {
			return nil
		}
		return spans{{math.MinInt64, v - 1}}
	case ir.Gt:
		if v == math.MaxInt64 {
			return nil
		}
		return spans{{v + 1, math.MaxInt64}}
	default:
		return everything()
	}
}
