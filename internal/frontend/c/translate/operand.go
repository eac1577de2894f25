package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Operands: expressions whose values are used.

// Accessed returns the pointer e, through which the operation at hand accesses memory.
func (f *Expressions) Accessed(e *parse.Expr) Value {
	f.Lvals.accessedThrough(e)
	return f.Operand(e)
}

// Operand is a scalar that must have a value, of one word.
func (f *Expressions) Operand(e *parse.Expr) Value {
	v := f.anyOperand(e)
	f.Arith.oneWord(v, e)
	return v
}

// oneWord refuses integers of 128 bits where they have no translation.
func (f *Arithmetic) oneWord(v Value, n parse.Node) {
	if v.High != nil {
		f.In.Refuse(read.CodeType, n, "a value of type __int128 is not supported here")
	}
}

// anyOperand is a scalar that must have a value, of one word or two.
func (f *Expressions) anyOperand(e *parse.Expr) Value {
	mark := f.Code.inUse
	v := f.expr(e)
	if v.Void {
		f.In.Reject(CodeExpr, e, "a value is needed here")
	}
	return f.shorten(v, mark)
}

// maxDepth is how deep an expression of the ir gets.
const maxDepth = 64

// shorten keeps a deep integer expression in a register. The temporaries from mark on,
// which only the expression mentions, are free again: however long a sum is, few
// registers are in use at a time.
func (f *Expressions) shorten(v Value, mark int) Value {
	if f.Code.static || v.High != nil || v.Elem != nil || v.Obj != ir.NoObject || !deeper(v.Expr, maxDepth) {
		return v
	}
	f.Code.inUse = mark
	r := f.Code.Temp()
	f.Code.Assign(r, v.Expr)
	v.Expr = ir.R(r)
	return v
}

// deeper reports whether an expression has more than n levels.
func deeper(e *ir.Expr, n int) bool {
	return e != nil && (n == 0 || deeper(e.X, n-1) || deeper(e.Y, n-1) || deeper(e.Z, n-1))
}

// IntegerOperand translates an operand that must be an integer.
func (f *Expressions) IntegerOperand(e *parse.Expr) Value {
	v := f.IntegerOrPointer(e)
	if v.Elem != nil {
		f.In.Reject(CodeExpr, e, "an integer is needed here")
	}
	return v
}
