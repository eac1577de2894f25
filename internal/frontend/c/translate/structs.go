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
func (f *lvalues) structPlace(e cc.ExpressionNode) lvalue {
	switch x := e.(type) {
	case *cc.ExpressionList:
		for ; x.ExpressionList != nil; x = x.ExpressionList {
			f.exprs.effect(x.AssignmentExpression)
		}
		return f.place(x.AssignmentExpression)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond && x.ExpressionList != nil {
			return f.chosenPlace(x)
		}
	case *cc.AssignmentExpression:
		if x.Case == cc.AssignmentExpressionAssign {
			to := f.lvalue(x.UnaryExpression)
			f.mem.copyObject(to, f.lvalue(x.AssignmentExpression), x)
			return to
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && isStruct(x.CastExpression.Type()) {
			return f.place(x.CastExpression)
		}
	}
	f.in.refuse(codeAggregate, e, "a value of type %s is not supported here", e.Type())
	panic("BUG: unreachable")
}

// chosenPlace is the struct a conditional chooses.
func (f *lvalues) chosenPlace(x *cc.ConditionalExpression) lvalue {
	r := f.code.fb.Reg("p", 0, f.code.pos)
	then, otherwise, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.stmts.branch(x.LogicalOrExpression, then, otherwise)
	f.code.at, f.code.fresh = then, false
	a := f.structAt(x.ExpressionList)
	f.code.assign(r, a.addr)
	f.code.jump(end)
	f.code.at, f.code.fresh = otherwise, false
	b := f.structAt(x.ConditionalExpression)
	f.code.assign(r, b.addr)
	f.code.here(end)
	return lvalue{reg: ir.NoReg, addr: ir.R(r), obj: ir.NoObject, typ: a.typ}
}

// structAt is the place of a struct that must not be atomic.
func (f *lvalues) structAt(e cc.ExpressionNode) lvalue {
	l := f.lvalue(e)
	if l.atomic {
		f.in.refuse(codeAtomic, e, "atomic structs are not supported")
	}
	if !isStruct(l.typ) {
		f.in.refuse(codeAggregate, e, "a struct is needed here")
	}
	return l
}

// argumentWords are the words an argument travels in.
func (f *lvalues) argumentWords(e cc.ExpressionNode, t cc.Type) []*ir.Expr {
	if !isStruct(t) {
		return []*ir.Expr{f.exprs.convert(f.exprs.operand(e), t, e).e}
	}
	if !isStruct(e.Type()) {
		f.in.refuse(codeAggregate, e, "a struct is needed here")
	}
	from := f.structAt(e)
	var out []*ir.Expr
	for _, l := range f.layouts.leaves(t, e) {
		op := access(ir.Load, f.mem.offset(from, l.off), l.typ, ir.Plain)
		op.Dst = f.code.temp()
		f.code.emit(op)
		out = append(out, ir.R(op.Dst))
	}
	return out
}

// words is how many words a parameter takes.
func (c *layouts) words(t cc.Type, n cc.Node) int {
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
func (f *lvalues) returnStruct(e cc.ExpressionNode, n cc.Node) {
	to := lvalue{reg: ir.NoReg, addr: ir.R(f.vars.resultAt), obj: ir.NoObject, typ: f.result}
	f.mem.copyObject(to, f.structAt(e), n)
}
