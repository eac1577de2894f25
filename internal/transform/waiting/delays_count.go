package waiting

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Which loops only count, and always end.

// loops returns the loops that are delays if nothing that they write is needed where they are
// left.
func (d *delayer) loops(n *analysis.Loops) []delay {
	var out []delay
	for loop := range n.Heads {
		if l, ok := d.cycle(n, int32(loop)); ok {
			out = append(out, l)
		}
	}
	return out
}

// cycle runs one round of a loop with the values at its head as variables. It returns false if the
// loop has another form than a delay, or may not end.
func (d *delayer) cycle(n *analysis.Loops, loop int32) (delay, bool) {
	head := n.Heads[loop]
	inside := func(l ir.Loc) bool { return slices.Contains(n.Around[l], loop) }
	for _, l := range n.Members[loop] {
		if l != head && slices.ContainsFunc(n.Into[l], func(i int32) bool { return !inside(d.f.Edges[i].From) }) {
			return delay{}, false
		}
	}
	out := delay{loop: true, head: head, drop: -1, keep: -1}
	values := map[variable]*ir.Expr{}
	var cond *ir.Expr
	for at, first := head, true; at != head || first; first = false {
		next := int32(-1)
		for _, i := range d.f.Out(at) {
			e := &d.f.Edges[i]
			switch {
			case inside(e.To) && !e.Op.Terminal() && next < 0:
				next = i
			case !inside(e.To) && e.Op.Kind == ir.Assume && out.keep < 0:
				out.keep = i
			default:
				return delay{}, false
			}
		}
		if next < 0 {
			return delay{}, false
		}
		e := &d.f.Edges[next]
		decides := out.keep >= 0 && out.drop < 0 // the branch is here
		switch v, val, ok := d.assigns(&e.Op); {
		case decides && (e.Op.Kind != ir.Assume || !ir.Negate(e.Op.Val).Equal(d.f.Edges[out.keep].Op.Val)):
			return delay{}, false
		case decides:
			out.drop, cond = next, put(e.Op.Val, values)
		case ok:
			values[v] = put(val, values)
		case e.Op.Kind != ir.Nop:
			return delay{}, false
		}
		at = e.To
	}
	if out.drop < 0 || !d.counts(cond, values) {
		return delay{}, false
	}
	for v := range values {
		out.writes = append(out.writes, v)
	}
	out.end = d.f.Edges[out.keep].To
	return out, true
}

// put replaces the variables of an expression by their values.
func put(e *ir.Expr, values map[variable]*ir.Expr) *ir.Expr {
	return e.Map(func(x *ir.Expr) *ir.Expr {
		var v *ir.Expr
		switch x.Op {
		case ir.RegRef:
			v = values[variable(x.Reg)]
		case ir.AddrOf:
			v = values[^variable(x.Obj)]
		}
		if v == nil {
			return x
		}
		return v
	})
}

// counts reports whether a loop that goes on while a condition holds always ends. values has what
// one round makes of the variables. The condition must compare a counter, which every round
// changes by one, with a limit that stays the same. Counting up, a counter cannot miss the first
// value that is not less than the limit, nor, if it goes on while it is different, the limit itself;
// the same holds for counting down. The counter wraps at the width of its type, so the limit must be a
// value of this type.
func (d *delayer) counts(cond *ir.Expr, values map[variable]*ir.Expr) bool {
	if cond == nil || !cond.Op.IsCompare() {
		return false
	}
	t, op, counter, limit := cond.Type, cond.Op, cond.X, cond.Y
	if !same(limit, values) {
		op, counter, limit = mirrored(op), limit, counter
	}
	if !same(limit, values) || !d.fits(limit, t, map[variable]bool{}) {
		return false
	}
	// The counter can be compared after the round has changed it.
	if by, of := step(counter, t); by != 0 {
		counter = of
	}
	v, ok := isVariable(stripped(counter, t))
	if !ok || values[v] == nil {
		return false
	}
	by, of := step(values[v], t)
	if w, ok := isVariable(stripped(of, t)); by == 0 || !ok || w != v {
		return false
	}
	last, known := limit.IsConst()
	switch op {
	case ir.Ne:
		return true
	case ir.Lt:
		return by > 0
	case ir.Gt:
		return by < 0
	case ir.Le:
		return by > 0 && known && t.Bits < 64 && last < analysis.TypeRange(t).Hi
	case ir.Ge:
		return by < 0 && known && t.Bits < 64 && last > analysis.TypeRange(t).Lo
	}
	return false
}

// fits reports whether an expression always has a value of a type. seen has the variables that are
// assumed to.
func (d *delayer) fits(e *ir.Expr, t ir.Type, seen map[variable]bool) bool {
	inside := func(u ir.Type) bool { return analysis.TypeRange(u).SubsetOf(analysis.TypeRange(t)) }
	if t.Bits == 64 {
		return true
	}
	if c, ok := e.IsConst(); ok {
		return analysis.Single(c).SubsetOf(analysis.TypeRange(t))
	}
	v, ok := isVariable(e)
	switch {
	case !ok:
		return e.Op != ir.Ite && (e.Op.IsUnary() || e.Op.IsBinary()) && (inside(e.Type) || e.Op.IsCompare())
	case seen[v]:
		return true
	case v < 0:
		return !slices.ContainsFunc(d.f.Edges, func(x ir.Edge) bool { return accessed(&x.Op) == ir.ObjectID(^v) && !inside(x.Op.Type) })
	case int(v) < d.f.Params:
		return false
	}
	seen[v] = true
	for i := range d.f.Edges {
		op := &d.f.Edges[i].Op
		switch {
		case !defines(op, v):
		case op.Kind == ir.Assign:
			ok = ok && d.fits(op.Val, t, seen)
		default:
			ok = ok && op.Kind == ir.Load && inside(op.Type)
		}
	}
	return ok
}

// stripped removes casts that change nothing for an operation on a type.
func stripped(e *ir.Expr, t ir.Type) *ir.Expr {
	for e != nil && e.Op == ir.Cast && e.Type == t {
		e = e.X
	}
	return e
}

// step returns 1 or -1 and the rest for an expression that adds this to the rest at the width of a
// type, else 0.
func step(e *ir.Expr, t ir.Type) (int64, *ir.Expr) {
	e = stripped(e, t)
	if e.Op != ir.Add && e.Op != ir.Sub || e.Type != t {
		return 0, nil
	}
	c, ok := e.Y.IsConst()
	if !ok || c != 1 && c != -1 {
		return 0, nil
	}
	if e.Op == ir.Sub {
		c = -c
	}
	return c, e.X
}

// isVariable returns the variable that an expression consists of.
func isVariable(e *ir.Expr) (variable, bool) {
	switch {
	case e == nil:
	case e.Op == ir.RegRef:
		return variable(e.Reg), true
	case e.Op == ir.AddrOf:
		return ^variable(e.Obj), true
	}
	return 0, false
}

// same reports whether no round changes what an expression depends on.
func same(e *ir.Expr, values map[variable]*ir.Expr) bool {
	ok := true
	uses(e, func(v variable) { ok = ok && values[v] == nil })
	return ok
}

// mirrored returns the comparison with its sides exchanged.
func mirrored(op ir.ExprOp) ir.ExprOp {
	switch op {
	case ir.Lt:
		return ir.Gt
	case ir.Gt:
		return ir.Lt
	case ir.Le:
		return ir.Ge
	case ir.Ge:
		return ir.Le
	}
	return op
}
