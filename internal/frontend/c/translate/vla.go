package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Arrays of variable length: one dimension of it, in a function. The block is made
// where the declaration is run, and lives until it is run again or the function
// returns.

// variableArray is an array whose length is known when its declaration runs.
type variableArray struct {
	addr, size ir.Reg
	elem       cc.Type
	length     cc.ExpressionNode
}

// isVariable reports whether t is an array whose own length is not constant.
func isVariable(t cc.Type) bool {
	a, ok := t.(*cc.ArrayType)
	return ok && a.IsVLA() && a.SizeExpression() != nil
}

// declareVariable reserves the registers of such an array.
func (f *storage) declareVariable(d *cc.Declarator) {
	t := d.Type().(*cc.ArrayType)
	f.types.checkArray(t.Elem(), d)
	f.layouts.checkLayout(t.Elem(), d)
	if t.Elem().IsIncomplete() || t.Elem().Size() <= 0 {
		f.in.refuse(codeType, d, "the elements of %s have no size", d.Name())
	}
	pos := f.in.span(d)
	v := &variableArray{
		addr: f.code.fb.Reg(d.Name(), 0, pos), size: f.code.fb.Reg(d.Name()+".size", 0, pos),
		elem: t.Elem(), length: t.SizeExpression(),
	}
	f.blocks = append(f.blocks, v.addr)
	f.arrays[d] = v
	f.vars[d] = lvalue{reg: ir.NoReg, addr: ir.R(v.addr), typ: t, obj: ir.NoObject}
}

// makeVariable runs the declaration.
func (f *storage) makeVariable(v *variableArray, n cc.Node) {
	f.stmts.begin(n)
	length := f.code.keep(f.exprs.integerOperand(v.length))
	f.code.check(ir.Binary(ir.Gt, ir.S64, length.e, ir.Int(0)), ir.OutOfBounds, "the length of an array must be positive")
	f.code.assign(v.size, scaled(length.e, v.elem.Size()))
	free := ir.NewOp(ir.Free) // of the round before; null at first
	free.Addr, free.Stack = ir.R(v.addr), true
	f.code.emit(free)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = v.addr, ir.R(v.size), true
	f.code.emit(op)
}

// variableSize is sizeof of an array of variable length.
func (f *storage) variableSize(x *cc.UnaryExpression) (value, bool) {
	if x.Case != cc.UnaryExpressionSizeofExpr {
		return value{}, false
	}
	v := f.arrays[variable(x.UnaryExpression)]
	if v == nil {
		return value{}, false
	}
	return integer(ir.R(v.size), ir.U64), true
}
