package library

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Blocks beyond malloc and calloc, and the clock.

// blockAlign divides the addresses of blocks.
const blockAlign = 16

// invalidArgument is EINVAL.
const invalidArgument = 22

// libAligned is aligned_alloc, memalign or posix_memalign.
func libAligned(f *translate.Lowering, c *translate.Call) translate.Value {
	n := len(c.Args)
	var to translate.Lvalue
	if n == 3 {
		to = target(f, c.Args[0])
	}
	align := f.Exprs.IntegerOperand(c.Args[n-2])
	if v, ok := f.Data.Constant(align.Expr); !ok {
		f.Code.OnlyIf(powerOfTwo(align), c.Args[n-2], translate.CodeArgument, "the alignment must be a power of two")
	} else if power := v > 0 && v&(v-1) == 0; n == 3 && (!power || v < 8) {
		return translate.Integer(ir.Int(invalidArgument), ir.S32)
	} else if !power {
		f.In.Refuse(translate.CodeArgument, c.Args[n-2], "the alignment must be a power of two")
	} else if v > blockAlign {
		f.In.Diags.Warnf(translate.CodeAlign, f.In.Span(c.Args[n-2]), "the address is aligned to %d bytes only; this matters if the program uses the low bits of the address", blockAlign)
	}
	block := libMalloc(f, &translate.Call{Name: c.Name, Args: []cc.ExpressionNode{c.Args[n-1]}, Node: c.Node})
	if n == 2 {
		return block
	}
	f.Mem.Store(to, f.Exprs.Convert(block, to.Type, c.Node), c.Node)
	return zero()
}

// libAlloca is alloca.
func libAlloca(f *translate.Lowering, c *translate.Call) translate.Value {
	size := f.Exprs.IntegerOperand(c.Args[0])
	at := f.Vars.StackBlock(translate.Cast(size.Expr, size.Type, ir.U64))
	return translate.Value{Expr: ir.R(at), Type: ir.U64, Elem: f.Unit.Ast.Void, Obj: ir.NoObject}
}

// powerOfTwo is whether a value is a power of two.
func powerOfTwo(v translate.Value) *ir.Expr {
	low := ir.Binary(ir.And, ir.U64, v.Expr, ir.Binary(ir.Sub, ir.U64, v.Expr, ir.Int(1)))
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ne, ir.U64, v.Expr, ir.Int(0)), ir.Binary(ir.Eq, ir.U64, low, ir.Int(0)))
}
