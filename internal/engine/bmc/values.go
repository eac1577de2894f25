package bmc

import (
	"slices"

	"fencepost/internal/ir"
)

// Value sets: what a register or a cell can hold, as a small set of numbers or,
// where there are more, an interval. They tell which cells an access can reach and
// how wide values get, before any circuit is built.

// maxSet is how many numbers are kept apart. Small arrays must fit.
const maxSet = 64

// values is a set of numbers; empty if it has no member.
type values struct {
	set []int64 // sorted; nil if there are too many
	interval
	some bool
}

func oneValue(v int64) values { return values{set: []int64{v}, interval: single(v), some: true} }

func rangeValues(x interval) values {
	out := values{interval: x, some: true}
	if n := uint64(x.hi) - uint64(x.lo); n < maxSet {
		for v := x.lo; ; v++ {
			out.set = append(out.set, v)
			if v == x.hi {
				break
			}
		}
	}
	return out
}

func setValues(list []int64) values {
	slices.Sort(list)
	list = slices.Compact(list)
	out := values{interval: interval{list[0], list[len(list)-1]}, some: true}
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
	return rangeValues(a.hull(b.interval))
}

func (a values) equal(b values) bool {
	return a.some == b.some && a.interval == b.interval && slices.Equal(a.set, b.set)
}

// only keeps the members in an interval.
func (a values) only(x interval) values {
	if !a.some || a.hi < x.lo || a.lo > x.hi {
		return values{}
	}
	if a.set == nil {
		return rangeValues(interval{max(a.lo, x.lo), min(a.hi, x.hi)})
	}
	var list []int64
	for _, v := range a.set {
		if v >= x.lo && v <= x.hi {
			list = append(list, v)
		}
	}
	if list == nil {
		return values{}
	}
	return setValues(list)
}

func (a values) wrap(t ir.Type) values {
	if !a.some || a.within(typeRange(t)) {
		return a
	}
	if a.set == nil {
		return rangeValues(typeRange(t))
	}
	var list []int64
	for _, v := range a.set {
		list = append(list, t.Wrap(v))
	}
	return setValues(list)
}

// evalValues is the values an expression can have.
func evalValues(p *ir.Program, regs []values, seen values, e *ir.Expr) values {
	switch e.Op {
	case ir.Const, ir.AddrOf, ir.FuncAddr:
		return oneValue(e.Eval(ir.Env{Prog: p}))
	case ir.RegRef:
		return regs[e.Reg]
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
		return rangeValues(unaryRange(e.Op, e.Type, x.interval))
	}
	y := evalValues(p, regs, seen, e.Y)
	if e.Op == ir.Ite {
		z := evalValues(p, regs, seen, e.Z)
		switch {
		case x.isSingle() && x.lo == 0:
			return z
		case x.lo > 0 || x.hi < 0:
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
	return rangeValues(binaryRange(e.Op, e.Type, x.interval, y.interval))
}

func unaryRange(op ir.ExprOp, t ir.Type, x interval) interval {
	switch op {
	case ir.Neg:
		return binaryRange(ir.Sub, t, single(0), x)
	case ir.BitNot:
		return binaryRange(ir.Sub, t, single(-1), x)
	case ir.Not:
		return interval{0, 1}
	default:
		return wrapRange(t, x)
	}
}

func wrapRange(t ir.Type, x interval) interval {
	if r := typeRange(t); !x.within(r) {
		return r
	}
	return x
}

// binaryRange holds the results of an operator, as the circuits compute them.
func binaryRange(op ir.ExprOp, t ir.Type, x, y interval) interval {
	r, ok := everything, false
	switch op {
	case ir.Add:
		r, ok = addInterval(x, y)
	case ir.Sub:
		var ny interval
		if ny, ok = negInterval(y); ok {
			r, ok = addInterval(x, ny)
		}
	case ir.Mul:
		r, ok = mulInterval(x, y)
	case ir.Div, ir.Rem:
		r, ok = divRange(op, t.Signed || x.lo >= 0 && y.lo >= 0, x, y, 64), true
	case ir.And, ir.Or, ir.Xor:
		r, ok = bitwiseRange(op, x, y), true
	case ir.Shl:
		r, ok = shiftRange(op, t, x, y), true
	case ir.Shr:
		r, ok = shiftRange(op, t, wrapRange(t, x), y), true
	default:
		return interval{0, 1}
	}
	if !ok {
		return typeRange(t)
	}
	return wrapRange(t, r)
}

// refine keeps of the registers what lets a condition be true.
func refine(p *ir.Program, regs []values, cond *ir.Expr) {
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
	x, y := evalValues(p, regs, values{}, cond.X), evalValues(p, regs, values{}, cond.Y)
	narrow(regs, cond.Op, cond.Type, cond.X, x, y)
	narrow(regs, mirror[cond.Op], cond.Type, cond.Y, y, x)
}

// narrow keeps of register e what can be op y.
func narrow(regs []values, op ir.ExprOp, t ir.Type, e *ir.Expr, x, y values) {
	if e.Op != ir.RegRef || !x.some || !y.some {
		return
	}
	if !t.Signed && op != ir.Eq && op != ir.Ne && (x.lo < 0 || y.lo < 0) {
		return
	}
	r := everything
	switch op {
	case ir.Eq:
		r = y.interval
	case ir.Lt:
		if y.hi > everything.lo {
			r.hi = y.hi - 1
		}
	case ir.Le:
		r.hi = y.hi
	case ir.Gt:
		if y.lo < everything.hi {
			r.lo = y.lo + 1
		}
	case ir.Ge:
		r.lo = y.lo
	case ir.Ne:
		if !y.isSingle() {
			return
		}
		if x.set != nil {
			list := slices.DeleteFunc(slices.Clone(x.set), func(v int64) bool { return v == y.lo })
			if len(list) == 0 {
				regs[e.Reg] = values{}
			} else {
				regs[e.Reg] = setValues(list)
			}
			return
		}
		if x.lo == y.lo {
			r.lo = y.lo + 1
		}
		if x.hi == y.lo {
			r.hi = y.lo - 1
		}
	}
	regs[e.Reg] = x.only(r)
}
