package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Structs as values. A struct that is no named object is a place all the same: that
// of what a conditional chose, of what an assignment wrote, of the block a call
// wrote its result to. Arguments travel as their scalars, one parameter each; a
// function with a struct as result gets the address of a block of its caller's.

// structPlace is where a struct lies that an operator gives.
func (f *lowering) structPlace(e cc.ExpressionNode) lvalue {
	switch x := e.(type) {
	case *cc.ExpressionList:
		for ; x.ExpressionList != nil; x = x.ExpressionList {
			f.effect(x.AssignmentExpression)
		}
		return f.place(x.AssignmentExpression)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond && x.ExpressionList != nil {
			return f.chosenPlace(x)
		}
	case *cc.AssignmentExpression:
		if x.Case == cc.AssignmentExpressionAssign {
			to := f.lvalue(x.UnaryExpression)
			f.copyObject(to, f.lvalue(x.AssignmentExpression), x)
			return to
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && isStruct(x.CastExpression.Type()) {
			return f.place(x.CastExpression)
		}
	}
	f.refuse(codeAggregate, e, "a value of type %s is not supported here", e.Type())
	panic("BUG: unreachable")
}

// chosenPlace is the struct a conditional chooses.
func (f *lowering) chosenPlace(x *cc.ConditionalExpression) lvalue {
	r := f.fb.Reg("p", 0, f.pos)
	then, otherwise, end := f.label(""), f.label(""), f.label("")
	f.branch(x.LogicalOrExpression, then, otherwise)
	f.at, f.fresh = then, false
	a := f.structAt(x.ExpressionList)
	f.assign(r, a.addr)
	f.jump(end)
	f.at, f.fresh = otherwise, false
	b := f.structAt(x.ConditionalExpression)
	f.assign(r, b.addr)
	f.here(end)
	return lvalue{reg: ir.NoReg, addr: ir.R(r), obj: ir.NoObject, typ: a.typ}
}

// structAt is the place of a struct that must not be atomic.
func (f *lowering) structAt(e cc.ExpressionNode) lvalue {
	l := f.lvalue(e)
	if l.atomic {
		f.refuse(codeAtomic, e, "atomic structs are not supported")
	}
	if !isStruct(l.typ) {
		f.refuse(codeAggregate, e, "a struct is needed here")
	}
	return l
}

// argumentWords are the words an argument travels in.
func (f *lowering) argumentWords(e cc.ExpressionNode, t cc.Type) []*ir.Expr {
	if !isStruct(t) {
		return []*ir.Expr{f.convert(f.operand(e), t, e).e}
	}
	if !isStruct(e.Type()) {
		f.refuse(codeAggregate, e, "a struct is needed here")
	}
	from := f.structAt(e)
	var out []*ir.Expr
	for _, l := range f.leaves(t, e) {
		op := access(ir.Load, f.offset(from, l.off), l.typ, ir.Plain)
		op.Dst = f.temp()
		f.emit(op)
		out = append(out, ir.R(op.Dst))
	}
	return out
}

// words is how many words a parameter takes.
func (c *compiler) words(t cc.Type, n cc.Node) int {
	if isStruct(t) {
		return len(c.leaves(t, n))
	}
	return 1
}

// hidden is how many parameters a function has beside those in its text: for a
// struct as result, and for variable arguments.
func hidden(t *cc.FunctionType) int {
	n := 0
	if isStruct(t.Result()) {
		n++
	}
	if t.IsVariadic() {
		n++
	}
	return n
}

// returnStruct writes the result to the caller's block.
func (f *lowering) returnStruct(e cc.ExpressionNode, n cc.Node) {
	to := lvalue{reg: ir.NoReg, addr: ir.R(f.resultAt), obj: ir.NoObject, typ: f.result}
	f.copyObject(to, f.structAt(e), n)
}
