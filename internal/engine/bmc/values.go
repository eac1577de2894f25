package bmc

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Value sets: what a register or a cell can hold, as a small set of numbers or as an interval. They
// determine which cells an access can go to and how wide values are, before a circuit is built.

// maxSet is the size of the largest set of numbers. The addresses of a small array must fit.
const maxSet = 64

// values is a set of numbers.
type values struct {
	set []int64 // sorted; nil if there are too many
	analysis.Interval
	some bool
}

func oneValue(v int64) values {
	return values{set: []int64{v}, Interval: analysis.Single(v), some: true}
}

func rangeValues(x analysis.Interval) values {
	out := values{Interval: x, some: true}
	if n := uint64(x.Hi) - uint64(x.Lo); n < maxSet {
		for v := x.Lo; ; v++ {
			out.set = append(out.set, v)
			if v == x.Hi {
				break
			}
		}
	}
	return out
}

func setValues(list []int64) values {
	slices.Sort(list)
	list = slices.Compact(list)
	out := values{Interval: analysis.Between(list[0], list[len(list)-1]), some: true}
	if len(list) <= maxSet {
		out.set = list
	}
	return out
}

func (a values) join(b values) values {
	switch {
	case !a.some:
		return b
	case !b.some || a.equal(b):
		return a
	}
	if a.set != nil && b.set != nil {
		return setValues(append(slices.Clone(a.set), b.set...))
	}
	return rangeValues(a.Hull(b.Interval))
}

func (a values) equal(b values) bool {
	return a.some == b.some && a.Interval == b.Interval && slices.Equal(a.set, b.set)
}

// only returns the members in an interval.
func (a values) only(x analysis.Interval) values {
	if !a.some || a.Hi < x.Lo || a.Lo > x.Hi {
		return values{}
	}
	if a.set == nil {
		return rangeValues(analysis.Between(max(a.Lo, x.Lo), min(a.Hi, x.Hi)))
	}
	var list []int64
	for _, v := range a.set {
		if v >= x.Lo && v <= x.Hi {
			list = append(list, v)
		}
	}
	if list == nil {
		return values{}
	}
	return setValues(list)
}

func (a values) wrap(t ir.Type) values {
	if !a.some || a.SubsetOf(analysis.TypeRange(t)) {
		return a
	}
	if a.set == nil {
		return rangeValues(analysis.TypeRange(t))
	}
	var list []int64
	for _, v := range a.set {
		list = append(list, t.Wrap(v))
	}
	return setValues(list)
}

// evalValues returns the values that an expression can have.
func evalValues(p *ir.Program, regs table[values], seen values, e *ir.Expr) values {
	switch e.Op {
	case ir.Const, ir.AddrOf, ir.FuncAddr:
		return oneValue(e.Eval(ir.Env{Prog: p}))
	case ir.RegRef:
		return regs.at(int(e.Reg))
	case ir.Seen:
		return seen
	}
	x := evalValues(p, regs, seen, e.X)
	if !x.some {
		return x
	}
	if e.Op.IsUnary() {
		if x.set != nil {
			list := make([]int64, 0, len(x.set))
			for _, v := range x.set {
				list = append(list, ir.EvalUnary(e.Op, e.Type, v))
			}
			return setValues(list)
		}
		return rangeValues(unaryRange(e.Op, e.Type, x.Interval))
	}
	y := evalValues(p, regs, seen, e.Y)
	if e.Op == ir.Ite {
		z := evalValues(p, regs, seen, e.Z)
		switch {
		case x.IsSingle() && x.Lo == 0:
			return z
		case x.Lo > 0 || x.Hi < 0:
			return y
		}
		return y.join(z)
	}
	if !y.some {
		return y
	}
	if x.set != nil && y.set != nil && len(x.set)*len(y.set) <= 4*maxSet {
		list := make([]int64, 0, len(x.set)*len(y.set))
		for _, v := range x.set {
			for _, w := range y.set {
				list = append(list, ir.EvalBinary(e.Op, e.Type, v, w))
			}
		}
		return setValues(list)
	}
	return rangeValues(binaryRange(e.Op, e.Type, x.Interval, y.Interval))
}

func unaryRange(op ir.ExprOp, t ir.Type, x analysis.Interval) analysis.Interval {
	switch op {
	case ir.Neg:
		return binaryRange(ir.Sub, t, analysis.Single(0), x)
	case ir.BitNot:
		return binaryRange(ir.Sub, t, analysis.Single(-1), x)
	case ir.Not:
		return analysis.Between(0, 1)
	default:
		return wrapRange(t, x)
	}
}

func wrapRange(t ir.Type, x analysis.Interval) analysis.Interval {
	if r := analysis.TypeRange(t); !x.SubsetOf(r) {
		return r
	}
	return x
}

// binaryRange returns the range of an operator, as the circuits compute it.
func binaryRange(op ir.ExprOp, t ir.Type, x, y analysis.Interval) analysis.Interval {
	r, ok := analysis.AllNumbers, false
	switch op {
	case ir.Add:
		r, ok = x.Add(y)
	case ir.Sub:
		var ny analysis.Interval
		if ny, ok = y.Neg(); ok {
			r, ok = x.Add(ny)
		}
	case ir.Mul:
		r, ok = x.Mul(y)
	case ir.Div, ir.Rem:
		r, ok = divRange(op, t.Signed || x.Lo >= 0 && y.Lo >= 0, x, y, 64), true
	case ir.And, ir.Or, ir.Xor:
		r, ok = bitwiseRange(op, x, y), true
	case ir.Shl:
		r, ok = shiftRange(op, t, x, y), true
	case ir.Shr:
		r, ok = shiftRange(op, t, wrapRange(t, x), y), true
	default:
		return analysis.Between(0, 1)
	}
	if !ok {
		return analysis.TypeRange(t)
	}
	return wrapRange(t, r)
}

// refine restricts registers to the values for which a condition can be true.
func refine(p *ir.Program, regs *table[values], cond *ir.Expr) {
	switch cond.Op {
	case ir.LAnd:
		refine(p, regs, cond.X)
		refine(p, regs, cond.Y)
		return
	case ir.Not:
		if n := ir.Negate(cond.X); n.Op.IsCompare() {
			refine(p, regs, n)
		}
		return
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
	default:
		return
	}
	mirror := map[ir.ExprOp]ir.ExprOp{ir.Eq: ir.Eq, ir.Ne: ir.Ne, ir.Lt: ir.Gt, ir.Gt: ir.Lt, ir.Le: ir.Ge, ir.Ge: ir.Le}
	x, y := evalValues(p, *regs, values{}, cond.X), evalValues(p, *regs, values{}, cond.Y)
	narrow(regs, cond.Op, cond.Type, cond.X, x, y)
	narrow(regs, mirror[cond.Op], cond.Type, cond.Y, y, x)
}

// narrow restricts register e to the values that can be op y.
func narrow(regs *table[values], op ir.ExprOp, t ir.Type, e *ir.Expr, x, y values) {
	if e.Op != ir.RegRef || !x.some || !y.some {
		return
	}
	if !t.Signed && op != ir.Eq && op != ir.Ne && (x.Lo < 0 || y.Lo < 0) {
		return
	}
	r := analysis.AllNumbers
	switch op {
	case ir.Eq:
		r = y.Interval
	case ir.Lt:
		if y.Hi > analysis.AllNumbers.Lo {
			r.Hi = y.Hi - 1
		}
	case ir.Le:
		r.Hi = y.Hi
	case ir.Gt:
		if y.Lo < analysis.AllNumbers.Hi {
			r.Lo = y.Lo + 1
		}
	case ir.Ge:
		r.Lo = y.Lo
	case ir.Ne:
		if !y.IsSingle() {
			return
		}
		if x.set != nil {
			list := slices.DeleteFunc(slices.Clone(x.set), func(v int64) bool { return v == y.Lo })
			if len(list) == 0 {
				*regs = regs.set(int(e.Reg), values{})
			} else {
				*regs = regs.set(int(e.Reg), setValues(list))
			}
			return
		}
		if x.Lo == y.Lo {
			r.Lo = y.Lo + 1
		}
		if x.Hi == y.Lo {
			r.Hi = y.Lo - 1
		}
	}
	*regs = regs.set(int(e.Reg), x.only(r))
}
