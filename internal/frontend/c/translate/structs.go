package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Structs as values. A struct that is no named object is an lvalue all the same: that
// of what a conditional chose, of what an assignment wrote, of the block a call
// wrote its result to. Arguments travel as their scalars, one parameter each; a
// function with a struct as result gets the address of a block of its caller's.

// structLvalue is where a struct lies that an operator gives.
func (f *Lvalues) structLvalue(e cc.ExpressionNode) Lvalue {
	switch x := e.(type) {
	case *cc.ExpressionList:
		for ; x.ExpressionList != nil; x = x.ExpressionList {
			f.Exprs.Effect(x.AssignmentExpression)
		}
		return f.designated(x.AssignmentExpression)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond && x.ExpressionList != nil {
			return f.chosenLvalue(x)
		}
	case *cc.AssignmentExpression:
		if x.Case == cc.AssignmentExpressionAssign {
			to := f.Lvalue(x.UnaryExpression)
			f.Mem.copyObject(to, f.Lvalue(x.AssignmentExpression), x)
			return to
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && IsStruct(x.CastExpression.Type()) {
			return f.designated(x.CastExpression)
		}
	}
	f.In.Refuse(codeAggregate, e, "a value of type %s is not supported here", e.Type())
	panic("BUG: unreachable")
}

// chosenLvalue is the struct a conditional chooses.
func (f *Lvalues) chosenLvalue(x *cc.ConditionalExpression) Lvalue {
	r := f.Code.Fb.Reg("p", 0, f.Code.Pos)
	f.stmts.choose(r, x.LogicalOrExpression,
		func() *ir.Expr { return f.structAt(x.ExpressionList).Addr },
		func() *ir.Expr { return f.structAt(x.ConditionalExpression).Addr })
	return Lvalue{Reg: ir.NoReg, Addr: ir.R(r), Obj: ir.NoObject, Type: x.Type()}
}

// structAt is the lvalue of a struct that must not be atomic.
func (f *Lvalues) structAt(e cc.ExpressionNode) Lvalue {
	l := f.Lvalue(e)
	if l.Atomic {
		f.In.Refuse(CodeAtomic, e, "atomic structs are not supported")
	}
	if !IsStruct(l.Type) {
		f.In.Reject(codeAggregate, e, "a struct is needed here")
	}
	return l
}

// argumentWords are the words an argument travels in.
func (f *Lvalues) argumentWords(e cc.ExpressionNode, t cc.Type) []*ir.Expr {
	if isWide(t) {
		v := f.Exprs.Convert(f.Exprs.anyOperand(e), t, e)
		return []*ir.Expr{v.Expr, v.High}
	}
	if !IsStruct(t) {
		return []*ir.Expr{f.Exprs.Convert(f.Exprs.anyOperand(e), t, e).Expr}
	}
	if !IsStruct(e.Type()) {
		return f.transparent(e, t)
	}
	from := f.structAt(e)
	var out []*ir.Expr
	for _, l := range f.Layouts.Leaves(t, e) {
		out = append(out, f.Mem.LoadWord(f.Mem.leaf(from, l), l.Typ, ir.Plain))
	}
	return out
}

// transparent passes an argument to a union that takes arguments of the types of its members
// (transparent_union): as the member of that type.
func (f *Lvalues) transparent(e cc.ExpressionNode, t cc.Type) []*ir.Expr {
	u, ok := t.(*cc.UnionType)
	if !ok || !f.Syms.transparent || len(f.Layouts.Leaves(t, e)) != 1 {
		f.In.Reject(codeAggregate, e, "a struct is needed here")
	}
	v := f.Exprs.IntegerOrPointer(e)
	for i := range u.NumFields() {
		member, scalar := IntType(u.FieldByIndex(i).Type())
		if scalar && (member.Bits == v.Type.Bits || v.Elem == nil && member.Bits == promote(v.Type).Bits) {
			return []*ir.Expr{Cast(v.Expr, v.Type, ir.Type{Bits: uint8(8 * t.Size())})}
		}
	}
	f.In.Reject(codeAggregate, e, "the union has no member of the type of this argument")
	panic("BUG: unreachable")
}

// words is how many words a parameter takes.
func (c *Layouts) words(t cc.Type, n cc.Node) int {
	if inWords(t) {
		return len(c.Leaves(t, n))
	}
	return 1
}

// hidden is how many parameters a function has beside those in its text: for a
// result of several words, and for variable arguments.
func hidden(t *cc.FunctionType) int {
	n := 0
	if inWords(t.Result()) {
		n++
	}
	if t.IsVariadic() {
		n++
	}
	return n
}

// returnWords writes the result to the caller's block.
func (f *Lvalues) returnWords(e cc.ExpressionNode, n cc.Node) {
	to := Lvalue{Reg: ir.NoReg, Addr: ir.R(f.Vars.resultAt), Obj: ir.NoObject, Type: f.result, known: wordSize}
	if isWide(f.result) {
		f.Mem.storePair(to, f.Exprs.Convert(f.Exprs.expr(e), f.result, n))
		return
	}
	f.Mem.copyObject(to, f.structAt(e), n)
}
