package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Variable arguments. The caller writes them to a block of its own, eight bytes
// each as the machine's registers and stack have them, and passes its address; a
// va_list is a pointer into the block (include/stdarg.h).

const argumentSlot = 8

// variableArgs writes the arguments after the named ones and gives their address.
func (f *Calls) variableArgs(x *cc.PostfixExpression, args []cc.ExpressionNode) *ir.Expr {
	if len(args) == 0 {
		return ir.Int(0)
	}
	l, ok := f.Vars.arguments[x]
	if !ok {
		f.Vars.missing(x)
	}
	var values []Value
	for _, a := range args {
		v := f.Exprs.Operand(a)
		t := promoteArgument(v.Type)
		values = append(values, f.Code.Keep(Value{Expr: Cast(v.Expr, v.Type, t), Type: t}))
	}
	for i, v := range values {
		f.Mem.StoreWord(f.Mem.Offset(l, int64(i)*argumentSlot), ir.U64, v.Expr)
	}
	return l.Addr
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
