package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Variable arguments. The caller writes them to a block of its own, eight bytes
// each as the machine's registers and stack have them, and passes its address; a
// va_list is a pointer into the block (include/stdarg.h).

const argumentSlot = 8

// variableArgs writes the arguments behind the named ones and gives their address.
func (f *calls) variableArgs(x *cc.PostfixExpression, args []cc.ExpressionNode) *ir.Expr {
	if len(args) == 0 {
		return ir.Int(0)
	}
	l, ok := f.vars.arguments[x]
	if !ok {
		panic(refusal{})
	}
	var values []value
	for _, a := range args {
		v := f.exprs.operand(a)
		t := promote(v.t)
		values = append(values, f.code.keep(value{e: cast(v.e, v.t, t), t: t}))
	}
	for i, v := range values {
		f.mem.storeWord(f.mem.offset(l, int64(i)*argumentSlot), ir.U64, v.e)
	}
	return l.addr
}

// variableCount is how many variable arguments a call has.
func variableCount(x *cc.PostfixExpression) int {
	t := x.PostfixExpression.Type()
	if p, ok := t.(*cc.PointerType); ok {
		t = p.Elem()
	}
	ft, ok := t.(*cc.FunctionType)
	if !ok || !ft.IsVariadic() {
		return 0
	}
	return max(0, len(arguments(x))-len(typesOf(ft)))
}

// libVarargs is __fp_varargs: the address of the variable arguments.
func libVarargs(f *lowering, c *libCall) value {
	if f.vars.varargs == ir.NoReg {
		f.in.refuse(codeVariadic, c.node, "va_start in a function without variable arguments")
	}
	return value{e: ir.R(f.vars.varargs), t: ir.U64, elem: f.unit.ast.Void, obj: ir.NoObject}
}
