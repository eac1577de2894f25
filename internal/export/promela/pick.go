package promela

// Nondeterministic values. If there are few constant values, each becomes an alternative
// that is guarded by the constraint. Otherwise the constraint must be a conjunction of
// comparisons with the new value, which give its least and its greatest value: the
// register starts at the least value and is incremented any number of times. A loop
// that picks first and tests afterwards would leave threads stuck in between.

import (
	"fmt"
	"math"

	"fencepost/internal/export"
	"fencepost/internal/ir"
)

// maxAlternatives is the largest number of values that become one alternative each.
const maxAlternatives = 64

// limits are the bounds that a constraint sets on the new value.
type limits struct {
	least, greatest []string // expressions that bound it from below and above
	lo, hi          int64    // constant bounds
	exact           bool     // the bounds are the whole constraint
}

// pick returns the alternatives that set op.Dst to a value that the range and the
// constraint allow.
func (w *promela) pick(t *thread, op *ir.Op, in env, guard []string) []alternative {
	lim := limits{lo: math.MinInt64, hi: math.MaxInt64, exact: true}
	w.limit(&lim, op.Cond, op.Dst, in)
	if op.Range.Bounded {
		lim.lo, lim.hi = max(lim.lo, op.Range.Lo), min(lim.hi, op.Range.Hi)
	}
	if lim.lo > lim.hi {
		return nil
	}
	if small := uint64(lim.hi)-uint64(lim.lo) < maxAlternatives; small {
		if !export.Fits(lim.lo) || !export.Fits(lim.hi) {
			w.Refuse(w.pos, "the numbers %d to %d do not fit into the 32 bits of Promela's int", lim.lo, lim.hi)
			return nil
		}
		return w.pickListed(t, op, in, guard, lim)
	}
	if lim.lo != math.MinInt64 {
		lim.least = append(lim.least, w.number(lim.lo))
	}
	if lim.hi != math.MaxInt64 {
		lim.greatest = append(lim.greatest, w.number(lim.hi))
	}
	if !lim.exact || len(lim.least) == 0 || len(lim.greatest) == 0 {
		w.Refuse(w.pos, "the values picked here are more than %d and not given by bounds alone: this cannot be written in Promela", maxAlternatives)
		return nil
	}
	lo, hi := extreme(lim.least, ">"), extreme(lim.greatest, "<")
	r := t.regs[op.Dst]
	return []alternative{{
		guard: append(guard[:len(guard):len(guard)], fmt.Sprintf("%s <= %s", lo, hi)), many: true,
		acts: []string{r + " = " + lo, fmt.Sprintf("do :: (%s < %s) -> %s++ :: break od", r, hi, r)},
	}}
}

// pickListed returns one alternative per value.
func (w *promela) pickListed(t *thread, op *ir.Op, in env, guard []string, lim limits) []alternative {
	var out []alternative
	regs := append([]string(nil), in.regs...)
	for v := lim.lo; v <= lim.hi; v++ {
		one := alternative{guard: guard, acts: w.set(t, op.Dst, w.number(v))}
		if op.Cond != nil {
			regs[op.Dst] = literal(v)
			one.guard = append(guard[:len(guard):len(guard)], w.expr(op.Cond, env{regs: regs, seen: in.seen}))
		}
		out = append(out, one)
	}
	return out
}

// limit adds the bounds of a conjunction of comparisons with the new value of r.
func (w *promela) limit(lim *limits, e *ir.Expr, r ir.Reg, in env) {
	if e == nil {
		return
	}
	if e.Op == ir.LAnd {
		w.limit(lim, e.X, r, in)
		w.limit(lim, e.Y, r, in)
		return
	}
	mirror := map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Eq, ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le}
	isNew := func(e *ir.Expr) bool { return e != nil && e.Op == ir.RegRef && e.Reg == r }
	op, k := e.Op, e.Y
	if isNew(e.Y) {
		op, k = mirror[e.Op], e.X
	}
	if _, known := mirror[e.Op]; !known || !isNew(e.X) && !isNew(e.Y) || uses(k, r) || !e.Type.Signed && e.Op != ir.Eq {
		lim.exact = false
		return
	}
	if c, ok := k.IsConst(); ok && export.Fits(c) {
		lim.constant(op, c)
		return
	}
	text := w.expr(k, in)
	switch op {
	case ir.Eq:
		lim.least, lim.greatest = append(lim.least, text), append(lim.greatest, text)
	case ir.Ge:
		lim.least = append(lim.least, text)
	case ir.Gt:
		lim.least = append(lim.least, "("+text+" + 1)")
	case ir.Le:
		lim.greatest = append(lim.greatest, text)
	case ir.Lt:
		lim.greatest = append(lim.greatest, "("+text+" - 1)")
	}
}

// constant adds a comparison with a constant to the constant bounds.
func (lim *limits) constant(op ir.ExprOp, c int64) {
	switch op {
	case ir.Eq:
		lim.lo, lim.hi = max(lim.lo, c), min(lim.hi, c)
	case ir.Ge:
		lim.lo = max(lim.lo, c)
	case ir.Gt:
		lim.lo = max(lim.lo, c+1)
	case ir.Le:
		lim.hi = min(lim.hi, c)
	case ir.Lt:
		lim.hi = min(lim.hi, c-1)
	}
}

// extreme returns the greatest (>) or least (<) of some expressions.
func extreme(list []string, sign string) string {
	out := list[0]
	for _, e := range list[1:] {
		out = fmt.Sprintf("(%s %s %s -> %s : %s)", e, sign, out, e, out)
	}
	return out
}
