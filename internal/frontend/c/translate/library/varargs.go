package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
)

// libVarargs is __fp_varargs: the address of the variable arguments.
func libVarargs(f *translate.Lowering, c *translate.Call) translate.Value {
	if f.Vars.Varargs == ir.NoReg {
		f.In.Reject(translate.CodeVariadic, c.Node, "va_start in a function without variable arguments")
	}
	return translate.Value{Expr: ir.R(f.Vars.Varargs), Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
}
