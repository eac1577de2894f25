package translate

import (
	"fencepost/internal/ir"
)

// Blocks of the heap. In programs that mention realloc a block begins with its size,
// plus one, in front of what the program gets: zero is a size that has not arrived
// yet. Nowhere else is there anything in front of a block.

// sizeHeader is how many bytes are in front of a block then.
const sizeHeader = blockAlign

// keepsSizes reports whether blocks carry their sizes.
func keepsSizes(c *compiler) bool {
	for _, name := range []string{"realloc", "reallocarray"} {
		if s := c.syms.linked[name]; c.syms.mentioned[name] && s != nil && s.unit != nil && isLibrary(s.unit.name) {
			return true
		}
	}
	return false
}

// heapBlock allocates n bytes and gives their address.
func heapBlock(f *lowering, name string, n *ir.Expr, layout *ir.Layout) *ir.Expr {
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Msg, op.Layout = f.code.temp(), n, name, layout
	if !keepsSizes(f.compiler) {
		f.code.emit(op)
		return ir.R(op.Dst)
	}
	n = f.code.keep(integer(n, ir.U64)).e
	op.Val = ir.Binary(ir.Add, ir.U64, n, ir.Int(sizeHeader))
	op.Layout = behindHeader(n, layout)
	f.code.emit(op)
	f.mem.storeWord(lvalue{reg: ir.NoReg, addr: ir.R(op.Dst), obj: ir.NoObject}, ir.U64, ir.Binary(ir.Add, ir.U64, n, ir.Int(1)))
	return ir.Binary(ir.Add, ir.U64, ir.R(op.Dst), ir.Int(sizeHeader))
}

// behindHeader is the layout of a block with its size in front, where its size is
// known.
func behindHeader(n *ir.Expr, elem *ir.Layout) *ir.Layout {
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
func libBlockSize(f *lowering, c *libCall) value {
	p := f.exprs.operand(c.args[0])
	at := lvalue{reg: ir.NoReg, addr: ir.Binary(ir.Sub, ir.U64, p.e, ir.Int(sizeHeader)), obj: ir.NoObject}
	op := access(ir.Await, at, ir.U64, ir.Plain)
	op.Dst, op.Cond = f.code.temp(), ir.Binary(ir.Ne, ir.U64, ir.SeenValue(), ir.Int(0))
	f.code.emit(op)
	return integer(ir.Binary(ir.Sub, ir.U64, ir.R(op.Dst), ir.Int(1)), ir.U64)
}

func libMalloc(f *lowering, c *libCall) value {
	size := f.exprs.operand(c.args[0])
	at := heapBlock(f, c.name, cast(size.e, size.t, ir.U64), f.layouts.allocated(c.args[0]))
	return value{e: at, t: ir.U64, elem: f.unit.ast.Void, obj: ir.NoObject}
}

func libFree(f *lowering, c *libCall) value {
	op := ir.NewOp(ir.Free)
	op.Addr = f.exprs.operand(c.args[0]).e
	if keepsSizes(f.compiler) {
		p := f.code.keep(integer(op.Addr, ir.U64)).e
		null := ir.Binary(ir.Eq, ir.U64, p, ir.Int(0))
		op.Addr = ir.Conditional(null, ir.Int(0), ir.Binary(ir.Sub, ir.U64, p, ir.Int(sizeHeader)))
	}
	f.code.emit(op)
	return nothing()
}
