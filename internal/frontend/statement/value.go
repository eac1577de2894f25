package statement

import (
	"strconv"

	"fencepost/internal/ir"
)

// The idea: an expression is taken apart into one edge per thing that happens,
// from left to right. value leaves the result in an expression over registers,
// into leads it to a given register with the last edge, branch turns it into
// control flow. Only && || ?: whose later operands make something happen need
// control flow of their own.

func tempName(name string, n int) string { return name + "@" + strconv.Itoa(n) }

// lazyNames are the names of registers for values that took control flow.
var lazyNames = map[ir.ExprOp]string{ir.LAnd: "and", ir.LOr: "or", ir.ExprUnset: "if"}

// lazy reports whether the node may skip something that happens.
func (n *node) lazy() bool {
	switch {
	case n.Pure != nil:
		return false
	case n.src.Kind == ExprCond:
		return n.y.Pure == nil || n.z.Pure == nil
	case n.src.Kind == ExprBinary && (n.op == ir.LAnd || n.op == ir.LOr):
		return n.y.Pure == nil
	}
	return false
}

// truth is e as 0 or 1.
func truth(e *ir.Expr) *ir.Expr {
	if e.Op.IsCompare() || e.Op == ir.Not || e.Op == ir.LAnd || e.Op == ir.LOr {
		return e
	}
	return ir.Binary(ir.Ne, ir.S64, e, ir.Int(0))
}

// value evaluates n from location at on; the value is there at the location
// returned.
func (l *Lowerer) value(n *node, at ir.Loc) (*ir.Expr, ir.Loc) {
	switch {
	case n.Pure != nil:
		return n.Pure, at
	case n.reading():
		return l.store(n, n.cellRef.name, at)
	case n.src.Kind == ExprRMW:
		return l.store(n, n.src.Name, at)
	case n.lazy():
		return l.store(n, lazyNames[n.op], at)
	}
	return l.strict(n, at)
}

// store evaluates n into a new register.
func (l *Lowerer) store(n *node, name string, at ir.Loc) (*ir.Expr, ir.Loc) {
	dst := l.temp(name, n)
	to := l.Loc(n.src.End)
	l.into(n, dst, at, to, n.src.Start, n.src.End)
	return ir.R(dst), to
}

// strict evaluates an operator after all its operands.
func (l *Lowerer) strict(n *node, at ir.Loc) (*ir.Expr, ir.Loc) {
	x, at := l.value(n.x, at)
	switch n.src.Kind {
	case ExprUnary:
		return ir.Unary(n.op, ir.S64, x), at
	case ExprCond:
		return ir.Conditional(x, n.y.Pure, n.z.Pure), at
	case ExprBinary:
		y, at := l.value(n.y, at)
		if n.checksDivisor() {
			at = l.checkDivisor(n, y, at)
		}
		return ir.Binary(n.op, ir.S64, x, y), at
	default:
		panic("BUG: not an operator")
	}
}

// checkDivisor asserts that a divisor is not zero.
func (l *Lowerer) checkDivisor(n *node, y *ir.Expr, at ir.Loc) ir.Loc {
	op := ir.NewOp(ir.Assert)
	op.Val = ir.Binary(ir.Ne, ir.S64, y, ir.Int(0))
	op.Report.Class = ir.DivByZero
	op.Report.Msg = l.Compiler.Text(n.src.Start, n.src.End)
	to := l.Loc(n.src.Start)
	l.Edge(at, op, to, n.src.Start, n.src.End)
	return to
}

// into evaluates n into dst; the last edge leads to next and belongs to the
// text from start to end.
func (l *Lowerer) into(n *node, dst ir.Reg, at, next ir.Loc, start, end int) {
	switch {
	case n.Pure == nil && n.reading():
		addr, at := l.addr(n.cellRef, at)
		op := l.Compiler.access(ir.Load, n.cellRef, addr, ir.Plain)
		op.Dst = dst
		l.Edge(at, op, next, start, end)
	case n.src.Kind == ExprRMW && n.Pure == nil:
		l.rmw(n, dst, at, next, start, end)
	case n.lazy() && n.src.Kind == ExprCond:
		yes, no := l.Loc(n.y.src.Start), l.Loc(n.z.src.Start)
		l.branch(n.x, at, yes, no, n.x.src.Start, n.x.src.End)
		l.into(n.y, dst, yes, next, start, end)
		l.into(n.z, dst, no, next, start, end)
	case n.lazy():
		skip, more := l.Loc(n.src.Start), l.Loc(n.y.src.Start)
		yes, no, short := more, skip, int64(0)
		if n.op == ir.LOr {
			yes, no, short = skip, more, 1
		}
		l.branch(n.x, at, yes, no, n.x.src.Start, n.x.src.End)
		l.Assign(dst, ir.Int(short), skip, next, start, end)
		y, at := l.value(n.y, more)
		l.Assign(dst, truth(y), at, next, start, end)
	default:
		v, at := l.value(n, at)
		l.Assign(dst, v, at, next, start, end)
	}
}

// Assign makes a step that sets a register.
func (l *Lowerer) Assign(dst ir.Reg, v *ir.Expr, at, next ir.Loc, start, end int) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = dst, v
	l.Edge(at, op, next, start, end)
}

// addr evaluates the address of a cell.
func (l *Lowerer) addr(p *cellRef, at ir.Loc) (*ir.Expr, ir.Loc) {
	if p.index == nil {
		return p.fixed, at
	}
	i, at := l.value(p.index, at)
	return p.addr(i), at
}

var rmwKinds = map[string]ir.RMWKind{
	"cas": ir.Cas, "xchg": ir.Xchg, "fetch_add": ir.FetchAdd, "fetch_sub": ir.FetchAdd,
	"fetch_and": ir.FetchAnd, "fetch_or": ir.FetchOr, "fetch_xor": ir.FetchXor,
}

// rmw makes a read-modify-write; dst may be absent.
func (l *Lowerer) rmw(n *node, dst ir.Reg, at, next ir.Loc, start, end int) {
	addr, at := l.addr(n.cellRef, at)
	op := l.Compiler.access(ir.RMW, n.cellRef, addr, ir.SeqCst)
	op.RMW = rmwKinds[n.src.Name]
	op.Val, at = l.value(n.y, at)
	switch n.src.Name {
	case "cas":
		op.Sync.Fail = failing(op.Sync.Order)
		if f := n.cellRef.text.Fail; f != ir.OrderUnset {
			op.Sync.Fail = f
		}
		op.Val2, at = l.value(n.z, at)
		if op.Type.Bits < 64 { // what is compared are the bytes of the cell
			op.Val = ir.Unary(ir.Cast, op.Type, op.Val)
		}
		op.Dst2 = dst
	case "fetch_sub":
		op.Val = ir.Unary(ir.Neg, ir.S64, op.Val)
		op.Dst = dst
	default:
		op.Dst = dst
	}
	l.Edge(at, op, next, start, end)
}

// failing returns the order of a compare-exchange that fails, given the order of one that succeeds [C11 §7.17.7.4].
func failing(o ir.Order) ir.Order {
	switch o {
	case ir.AcqRel:
		return ir.Acquire
	case ir.Release:
		return ir.Relaxed
	}
	return o
}

// nowhere as a target of branch means that this way is blocked.
const nowhere ir.Loc = -1

// branch leads to yes if n holds and to no otherwise. The edges that decide
// belong to the text from start to end.
func (l *Lowerer) branch(n *node, at, yes, no ir.Loc, start, end int) {
	switch {
	case n.Pure == nil && n.src.Kind == ExprUnary && n.op == ir.Not && yes != nowhere && no != nowhere:
		l.branch(n.x, at, no, yes, start, end)
		return
	case n.lazy() && n.src.Kind == ExprBinary:
		more := l.Loc(n.y.src.Start)
		if n.op == ir.LAnd {
			l.branch(n.x, at, more, no, n.x.src.Start, n.x.src.End)
		} else {
			l.branch(n.x, at, yes, more, n.x.src.Start, n.x.src.End)
		}
		l.branch(n.y, more, yes, no, start, end)
		return
	}
	v, at := l.value(n, at)
	if yes != nowhere {
		l.Assume(v, at, yes, start, end)
	}
	if no != nowhere {
		l.Assume(ir.Negate(v), at, no, start, end)
	}
}

// Assume makes a step that waits for a condition.
func (l *Lowerer) Assume(v *ir.Expr, at, next ir.Loc, start, end int) {
	op := ir.NewOp(ir.Assume)
	op.Val = v
	l.Edge(at, op, next, start, end)
}
