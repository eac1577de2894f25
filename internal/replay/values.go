package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"fencepost/internal/ir"
)

// Values of havocs and abstract loads: bounds are read off the constraint, and
// every value within them is tried.

// ErrUnbounded says that a havoc or abstract load has too many values to try.
var ErrUnbounded = errors.New("value range of havoc not bounded")

const maxChoices = 65536

// span is the numbers from lo to hi.
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

// choices lists the values Dst may take when the operation sees seen.
func (c *turn) choices(seen int64) []int64 {
	set := everything()
	if c.op.Cond != nil {
		set = c.bounds(c.op.Cond, seen)
	}
	if c.op.HasRange {
		set = intersect(set, spans{{c.op.Lo, c.op.Hi}})
	}
	if !set.small() && c.chosen != nil {
		set = intersect(set, spans{{*c.chosen, *c.chosen}})
	}
	if !set.small() {
		c.err = fmt.Errorf("thread %s, edge %d: %w", c.p.Threads[c.t].Name, c.edge.ID, ErrUnbounded)
		return nil
	}
	var out []int64
	regs := slices.Clone(c.th.regs)
	for _, s := range set {
		for v := s.lo; ; v++ {
			regs[c.op.Dst] = v
			if c.op.Cond == nil || c.op.Cond.Eval(ir.Env{Regs: regs, Seen: seen, Prog: c.p}) != 0 {
				out = append(out, v)
			}
			if v == s.hi {
				break
			}
		}
	}
	return out
}

// bounds is a set that holds every value of Dst with which e is true.
func (c *turn) bounds(e *ir.Expr, seen int64) spans {
	switch {
	case e.Op == ir.LAnd:
		return intersect(c.bounds(e.X, seen), c.bounds(e.Y, seen))
	case e.Op == ir.LOr:
		return union(c.bounds(e.X, seen), c.bounds(e.Y, seen))
	case e.Op == ir.Ite:
		return union(c.bounds(e.Y, seen), c.bounds(e.Z, seen))
	case e.Op == ir.Const && e.Value == 0:
		return nil
	case !e.Op.IsCompare() || !e.Type.Signed && e.Op != ir.Eq:
		return everything()
	case c.isDst(e.X) && !c.mentionsDst(e.Y):
		return compared(e.Op, c.evalSeen(e.Y, seen))
	case c.isDst(e.Y) && !c.mentionsDst(e.X):
		flip := map[ir.ExprOp]ir.ExprOp{ir.Lt: ir.Gt, ir.Le: ir.Ge, ir.Gt: ir.Lt, ir.Ge: ir.Le, ir.Eq: ir.Eq, ir.Ne: ir.Ne}
		return compared(flip[e.Op], c.evalSeen(e.X, seen))
	default:
		return everything()
	}
}

func (c *turn) isDst(e *ir.Expr) bool { return e.Op == ir.RegRef && e.Reg == c.op.Dst }

func (c *turn) mentionsDst(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) { found = found || c.isDst(x) })
	return found
}

// compared is the numbers that compare with v as op says.
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
