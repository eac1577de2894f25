package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
)

// Blocks beyond malloc and calloc, and the clock.

// blockAlign divides the addresses of blocks.
const blockAlign = 16

// maxPageAlign is the largest alignment that is not a constant.
const maxPageAlign = 4096

// pagesName is calloc of whole pages.
const pagesName = "__fp_pages"

// invalidArgument is EINVAL.
const invalidArgument = 22

// libAligned is aligned_alloc, memalign or posix_memalign.
func libAligned(f *translate.Lowering, c *translate.Call) translate.Value {
	n := len(c.Args)
	var to translate.Lvalue
	if n == 3 {
		to = target(f, c.Args[0])
	}
	at := c.Args[n-2]
	align := f.Exprs.IntegerOperand(at)
	v, constant := f.Data.Constant(align.Expr)
	power := v > 0 && v&(v-1) == 0
	switch {
	case !constant:
		align.Expr = f.Code.Keep(align).Expr
		f.Code.OnlyIf(powerOfTwo(align), at, translate.CodeArgument, "the alignment must be a power of two")
	case n == 3 && (!power || v < 8):
		return translate.Integer(ir.Int(invalidArgument), ir.S32)
	case !power:
		f.In.Refuse(translate.CodeArgument, at, "the alignment must be a power of two")
	}
	size := f.Exprs.Operand(c.Args[n-1])
	bytes, layout := translate.Cast(size.Expr, size.Type, ir.U64), f.Layouts.Allocated(c.Args[n-1])
	block := translate.Value{Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
	if constant {
		block.Expr = heapBlock(f, c.Name, bytes, f.Vars.BlockAlign(v, at), layout)
	} else {
		f.Code.OnlyIf(ir.Binary(ir.Le, ir.U64, align.Expr, ir.Int(maxPageAlign)), at, translate.CodeArgument, "an alignment of more than a page that is not a constant is not supported")
		block.Expr = alignedByValue(f, c.Name, f.Code.Keep(translate.Integer(bytes, ir.U64)).Expr, align.Expr, layout)
	}
	if n == 2 {
		return block
	}
	f.Mem.Store(to, f.Arith.Convert(block, to.Type, c.Node), c.Node)
	return zero()
}

// alignedByValue allocates a block whose alignment is a power of two up to a page: one allocation for each
// alignment.
func alignedByValue(f *translate.Lowering, name string, bytes, align *ir.Expr, layout *ir.Layout) *ir.Expr {
	out := f.Code.Fb.Reg("t", 0, f.Code.Pos)
	from, end := f.Code.Start(), f.Code.Label("")
	for n := int64(blockAlign); n <= maxPageAlign; n *= 2 {
		cond, this := ir.Binary(ir.Eq, ir.U64, align, ir.Int(n)), n
		if n == blockAlign {
			cond, this = ir.Binary(ir.Le, ir.U64, align, ir.Int(n)), 0
		}
		at := f.Code.Label("")
		f.Code.Assume(from, cond, at)
		f.Code.At, f.Code.Fresh = at, false
		f.Code.Assign(out, heapBlock(f, name, bytes, this, layout))
		f.Code.Jump(end)
	}
	f.Code.At, f.Code.Fresh = end, false
	return ir.R(out)
}

// libAlloca is alloca.
func libAlloca(f *translate.Lowering, c *translate.Call) translate.Value {
	size := f.Exprs.IntegerOperand(c.Args[0])
	at := f.Vars.StackBlock(translate.Cast(size.Expr, size.Type, ir.U64))
	return translate.Value{Expr: ir.R(at), Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
}

// powerOfTwo is whether a value is a power of two.
func powerOfTwo(v translate.Value) *ir.Expr {
	low := ir.Binary(ir.And, ir.U64, v.Expr, ir.Binary(ir.Sub, ir.U64, v.Expr, ir.Int(1)))
	return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ne, ir.U64, v.Expr, ir.Int(0)), ir.Binary(ir.Eq, ir.U64, low, ir.Int(0)))
}
