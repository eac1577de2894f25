package library

import (
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
	"fencepost/internal/lang/c/types"
)

// Blocks of the heap. In programs that mention realloc a block begins with its size,
// plus one, in front of what the program gets: zero is a size that has not arrived
// yet. Nowhere else is there anything in front of a block.

// sizeHeader is how many bytes are in front of a block then.
const sizeHeader = blockAlign

// keepsSizes reports whether blocks carry their sizes.
func keepsSizes(f *translate.Lowering) bool {
	for _, name := range []string{"realloc", "reallocarray"} {
		if f.Syms.Names.Mentioned[name] && f.Syms.InLibrary(name) != nil {
			return true
		}
	}
	return false
}

// zeroed are the functions whose blocks hold zeros.
var zeroed = map[string]bool{"calloc": true, pagesName: true}

// heapBlock allocates n bytes and gives their address, a multiple of align.
func heapBlock(f *translate.Lowering, name string, n *ir.Expr, align int64, layout *ir.Layout) *ir.Expr {
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Block.Name, op.Block.Layout = f.Code.Temp(), n, name, layout
	op.Block.Align, op.Block.Undef = align, f.Opt.Undefined() && !zeroed[name]
	if !keepsSizes(f) {
		f.Code.Emit(op)
		return ir.R(op.Dst)
	}
	n = f.Code.Keep(translate.Integer(n, ir.U64)).Expr
	op.Val = ir.Binary(ir.Add, ir.U64, n, ir.Int(sizeHeader))
	op.Block.Layout, op.Block.Lead = afterHeader(n, layout), sizeHeader
	f.Code.Emit(op)
	store := translate.Access(ir.Store, header(ir.R(op.Dst)), ir.U64, ir.Plain)
	store.Val = ir.Binary(ir.Add, ir.U64, n, ir.Int(1))
	f.Code.Emit(store)
	return ir.Binary(ir.Add, ir.U64, ir.R(op.Dst), ir.Int(sizeHeader))
}

// header is the size in front of a block, whose bytes begin at an address.
func header(block *ir.Expr) translate.Lvalue {
	return translate.Lvalue{Reg: ir.NoReg, Addr: block, Obj: ir.NoObject, Marks: ir.Header}
}

// afterHeader is the layout of a block with its size in front, where its size is
// known.
func afterHeader(n *ir.Expr, elem *ir.Layout) *ir.Layout {
	size, ok := n.IsConst()
	if !ok || elem == nil || elem.Size() <= 0 || size < elem.Size() {
		return nil
	}
	if count := size / elem.Size(); count > 1 {
		elem = &ir.Layout{Kind: ir.ArrayLayout, Elem: elem, Count: count}
	}
	return &ir.Layout{Kind: ir.RecordLayout, Bytes: size + sizeHeader, Fields: []ir.Field{
		{Name: "size", Layout: &ir.Layout{Kind: ir.ScalarLayout, Type: ir.U64}}, {Name: "data", Off: sizeHeader, Layout: elem},
	}}
}

// libBlockSize is __fp_block_size: how many bytes the block at an address has.
func libBlockSize(f *translate.Lowering, c *translate.Call) translate.Value {
	p := f.Exprs.Operand(c.Args[0])
	op := translate.Access(ir.Await, header(ir.Binary(ir.Sub, ir.U64, p.Expr, ir.Int(sizeHeader))), ir.U64, ir.Plain)
	op.Dst, op.Cond = f.Code.Temp(), ir.Binary(ir.Ne, ir.U64, ir.SeenValue(), ir.Int(0))
	f.Code.Emit(op)
	return translate.Integer(ir.Binary(ir.Sub, ir.U64, ir.R(op.Dst), ir.Int(1)), ir.U64)
}

func libMalloc(f *translate.Lowering, c *translate.Call) translate.Value {
	size := f.Exprs.Operand(c.Args[0])
	at := heapBlock(f, c.Name, translate.Cast(size.Expr, size.Type, ir.U64), 0, f.Layouts.Allocated(c.Args[0]))
	return translate.Value{Expr: at, Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
}

func libFree(f *translate.Lowering, c *translate.Call) translate.Value {
	op := ir.NewOp(ir.Free)
	op.Addr = f.Exprs.Operand(c.Args[0]).Expr
	if keepsSizes(f) {
		p := f.Code.Keep(translate.Integer(op.Addr, ir.U64)).Expr
		null := ir.Binary(ir.Eq, ir.U64, p, ir.Int(0))
		op.Addr = ir.Conditional(null, ir.Int(0), ir.Binary(ir.Sub, ir.U64, p, ir.Int(sizeHeader)))
	}
	f.Code.Emit(op)
	return nothing()
}
