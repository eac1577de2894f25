package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// value is what an expression computes: a word that holds a value of type t.
type value struct {
	e    *ir.Expr
	t    ir.Type
	elem cc.Type     // what a pointer points to; nil: an integer
	obj  ir.ObjectID // the named object a pointer points into, if that is known
	void bool        // there is no value; e is nil
	// array is the array that the value is the beginning of, as long as nothing has
	// happened to it; nil: a pointer.
	array *declaredArray
}

// lvalue is a place: a register, or memory at an address.
type lvalue struct {
	reg     ir.Reg // NoReg: in memory
	addr    *ir.Expr
	obj     ir.ObjectID
	typ     cc.Type
	atomic  bool
	pending bool      // a local whose block is not made yet
	bits    *bitPlace // a bit-field; addr is its unit's
	fixed   *value    // not a place: a name for this value
	via     via       // how one comes to the place
}

func integer(e *ir.Expr, t ir.Type) value { return value{e: e, t: t, obj: ir.NoObject} }

func elemOf(t cc.Type) cc.Type {
	switch x := t.(type) {
	case *cc.PointerType:
		return x.Elem()
	case *cc.FunctionType:
		return t
	}
	return nil
}

// cast brings a word that holds a value of type from to type to. Values are kept
// extended, so widening costs nothing where the sign allows it.
func cast(e *ir.Expr, from, to ir.Type) *ir.Expr {
	if from == to || to.Bits == 64 || to.Bits > from.Bits && (!from.Signed || to.Signed) {
		return e
	}
	if e.Op.IsCompare() || e.Op == ir.LAnd || e.Op == ir.LOr || e.Op == ir.Not {
		return e
	}
	return ir.Unary(ir.Cast, to, e)
}

// truthOf is whether a value is not zero, as 0 or 1.
func truthOf(v value) *ir.Expr {
	switch op := v.e.Op; {
	case op.IsCompare(), op == ir.LAnd, op == ir.LOr, op == ir.Not:
		return v.e
	}
	if v.e.Op == ir.AddrOf || v.e.Op == ir.FuncAddr {
		return ir.Int(1)
	}
	return ir.Binary(ir.Ne, v.t, v.e, ir.Int(0))
}

// convert is the conversion of a value to a type, as by assignment or a cast.
func (f *expressions) convert(v value, to cc.Type, n cc.Node) value {
	if isVoid(to) {
		return value{void: true, obj: ir.NoObject}
	}
	if v.void {
		f.in.refuse(codeExpr, n, "a value is needed here")
	}
	t := f.types.scalar(to, n)
	if to.Kind() == cc.Bool {
		return integer(truthOf(v), ir.U8)
	}
	out := value{e: cast(v.e, v.t, t), t: t, elem: elemOf(to), obj: ir.NoObject}
	if out.elem != nil {
		out.obj = v.obj
	}
	return out
}

// addTo adds bytes to an address.
func addTo(addr, n *ir.Expr) *ir.Expr {
	if v, ok := n.IsConst(); ok {
		switch {
		case v == 0:
			return addr
		case addr.Op == ir.AddrOf:
			return ir.Addr(addr.Obj, addr.Value+v)
		case addr.Op == ir.Add && addr.Type == ir.U64:
			if w, ok := addr.Y.IsConst(); ok {
				return ir.Binary(ir.Add, ir.U64, addr.X, ir.Int(v+w))
			}
		}
	}
	return ir.Binary(ir.Add, ir.U64, addr, n)
}

// scaled is an index times the size of an element.
func scaled(i *ir.Expr, size int64) *ir.Expr {
	if size == 1 {
		return i
	}
	return ir.Binary(ir.Mul, ir.S64, i, ir.Int(size))
}

// offset is a place inside another.
func (f *accesses) offset(l lvalue, off int64) lvalue {
	l.addr = addTo(l.addr, ir.Int(off))
	return l
}

// access is the operation on a place in memory.
func access(kind ir.OpKind, l lvalue, t ir.Type, order ir.Order) ir.Op {
	op := ir.NewOp(kind)
	op.Addr, op.Obj, op.Type, op.Order = l.addr, l.obj, t, order
	return op
}

// load reads a place; arrays and functions become pointers.
func (f *accesses) load(l lvalue, n cc.Node) value {
	if l.fixed != nil {
		return *l.fixed
	}
	switch t := l.typ.(type) {
	case *cc.ArrayType:
		return value{e: l.addr, t: ir.U64, elem: t.Elem(), obj: l.obj, array: f.lvals.declared(l, t)}
	case *cc.FunctionType:
		return value{e: l.addr, t: ir.U64, elem: t, obj: ir.NoObject}
	}
	if l.bits != nil {
		return f.loadBits(l, n)
	}
	t := f.types.scalar(l.typ, n)
	out := value{t: t, elem: elemOf(l.typ), obj: ir.NoObject}
	if l.reg != ir.NoReg {
		out.e = ir.R(l.reg)
		return out
	}
	order := ir.Plain
	if l.atomic {
		order = ir.SeqCst
	}
	op := access(ir.Load, l, t, order)
	op.Dst = f.code.temp()
	f.code.emit(op)
	out.e = ir.R(op.Dst)
	return out
}

// store writes a value of the place's own type.
func (f *accesses) store(l lvalue, v value, n cc.Node) {
	t := f.types.scalar(l.typ, n)
	switch {
	case l.bits != nil:
		f.storeBits(l, v)
	case l.reg != ir.NoReg:
		f.code.assign(l.reg, v.e)
	case l.atomic:
		f.atomicStore(l, t, v.e, ir.SeqCst)
	default:
		f.storeWord(l, t, v.e)
	}
}

func (f *accesses) storeWord(l lvalue, t ir.Type, v *ir.Expr) {
	op := access(ir.Store, l, t, ir.Plain)
	op.Val = v
	f.code.emit(op)
}

// copyObject is the assignment of a whole struct or union, scalar by scalar.
func (f *accesses) copyObject(to, from lvalue, n cc.Node) {
	if to.atomic || from.atomic {
		f.copyAtomic(to, from, n)
		return
	}
	for _, l := range f.layouts.leaves(to.typ, n) {
		op := access(ir.Load, f.offset(from, l.off), l.typ, ir.Plain)
		op.Dst = f.code.temp()
		f.code.emit(op)
		f.storeWord(f.offset(to, l.off), l.typ, ir.R(op.Dst))
	}
}
