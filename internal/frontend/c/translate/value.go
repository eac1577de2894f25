package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Value is the result of an expression: a word that holds a value of type t.
type Value struct {
	Expr *ir.Expr
	High *ir.Expr // the high word of an integer of 128 bits; nil otherwise
	Type ir.Type
	Elem *types.Type // what a pointer points to; nil: an integer
	Obj  ir.ObjectID // the named object a pointer points into, if that is known
	Void bool        // there is no value; e is nil
	// array is the array that the value is the beginning of, as long as nothing has
	// happened to it; nil: a pointer.
	array *declaredArray
	known int8 // the address is a multiple of this; 0: of the alignment of what it points to
	// width is the number of bits of a value whose type is that of a bit-field of more than 32 bits and
	// fewer than 64; 0: the value has as many as Type.
	width uint8
	small bool // the value was converted from a type with fewer bits
}

// Lvalue is an lvalue: a register, or memory at an address.
type Lvalue struct {
	Reg     ir.Reg // NoReg: in memory
	Addr    *ir.Expr
	Obj     ir.ObjectID
	Type    *types.Type
	Atomic  bool
	Relaxed bool      // an access is a relaxed atomic: volatile, with VolatileIsAtomic
	pending bool      // a local whose block is not made yet
	bits    *bitRange // a bit-field; addr is its unit's
	fixed   *Value    // not an lvalue: a name for this value
	via     via       // how one comes to the lvalue
	Marks   ir.Mark   // of accesses
	known   int8      // the address is a multiple of this; 0: of the alignment of the type
}

// Integer returns a value that is no pointer.
func Integer(e *ir.Expr, t ir.Type) Value { return Value{Expr: e, Type: t, Obj: ir.NoObject} }

// ElemOf returns the type that t points to, nil if t is no pointer.
func ElemOf(t *types.Type) *types.Type {
	switch t.Kind {
	case types.Pointer:
		return t.Elem
	case types.Function:
		return t
	}
	return nil
}

// Cast brings a word that holds a value of type from to type to. Values are kept
// extended, so widening costs nothing where the sign allows it.
func Cast(e *ir.Expr, from, to ir.Type) *ir.Expr {
	if from.Float || to.Float {
		return castFloat(e, from, to)
	}
	if from == to || to.Bits == 64 || to.Bits > from.Bits && (!from.Signed || to.Signed) {
		return e
	}
	if e.Op.IsTruth() {
		return e
	}
	return ir.Unary(ir.Cast, to, e)
}

// TruthOf is whether a value is not zero, as 0 or 1.
func TruthOf(v Value) *ir.Expr {
	if v.High != nil {
		return ir.Binary(ir.Ne, ir.U64, ir.Binary(ir.Or, ir.U64, v.Expr, v.High), ir.Int(0))
	}
	if v.Expr.Op.IsTruth() {
		return v.Expr
	}
	if v.Expr.Op == ir.AddrOf || v.Expr.Op == ir.FuncAddr {
		return ir.Int(1)
	}
	if v.Type.Float {
		return ir.Binary(ir.FNe, v.Type, v.Expr, ir.Float(v.Type, 0))
	}
	return ir.Binary(ir.Ne, v.Type, v.Expr, ir.Int(0))
}

// Convert is the conversion of a value to a type, as by assignment or a cast.
func (f *Arithmetic) Convert(v Value, to *types.Type, n parse.Node) Value {
	if IsVoid(to) {
		return Value{Void: true, Obj: ir.NoObject}
	}
	if v.Void {
		f.In.Reject(CodeExpr, n, "a value is needed here")
	}
	if v.High != nil || isWide(to) {
		return f.convertWide(v, to, n)
	}
	t := f.Types.Scalar(to, n)
	if to.Kind == types.Bool {
		return Integer(TruthOf(v), ir.U8)
	}
	f.checkConversion(v, to, t, n)
	if width := uint8(to.Width); width > 0 && !v.Type.Float {
		return fitted(v, t, width)
	}
	out := Value{Expr: Cast(v.Expr, v.Type, t), Type: t, Elem: ElemOf(to), Obj: ir.NoObject}
	out.small = isInteger(v) && !t.Float && v.Type.Bits < t.Bits
	if out.Elem != nil && out.Elem.Kind == types.Function && v.Expr.Op == ir.FuncAddr {
		f.Syms.callableAs(v.Expr.Func, out.Elem)
	}
	if out.Elem != nil {
		out.Obj = v.Obj
	}
	return out
}

// AddTo adds bytes to an address.
func AddTo(addr, n *ir.Expr) *ir.Expr {
	if v, ok := n.IsConst(); ok {
		return ir.Plus(addr, v)
	}
	return ir.Binary(ir.Add, ir.U64, addr, n)
}

// Scaled is an index times the size of an element.
func Scaled(i, size *ir.Expr) *ir.Expr {
	if n, ok := size.IsConst(); ok && n == 1 {
		return i
	}
	return ir.Binary(ir.Mul, ir.S64, i, size)
}

// Offset is an lvalue inside another.
func (f *Accesses) Offset(l Lvalue, off int64) Lvalue {
	l.Addr = AddTo(l.Addr, ir.Int(off))
	return l
}

// Access is the operation on an lvalue in memory.
func Access(kind ir.OpKind, l Lvalue, t ir.Type, order ir.Order) ir.Op {
	op := ir.NewOp(kind)
	op.Addr, op.Obj, op.Type, op.Sync.Order, op.Sync.Marks = l.Addr, l.Obj, t, order, l.Marks
	return op
}

// order returns the order of accesses to an object that is not _Atomic.
func (l Lvalue) order() ir.Order {
	if l.Relaxed {
		return ir.Relaxed
	}
	return ir.Plain
}

// Load reads an lvalue; arrays and functions become pointers.
func (f *Accesses) Load(l Lvalue, n parse.Node) Value {
	if l.fixed != nil {
		return *l.fixed
	}
	switch t := l.Type; t.Kind {
	case types.Array:
		return Value{Expr: l.Addr, Type: ir.U64, Elem: t.Elem, Obj: l.Obj, array: f.declared(l, t, n), known: l.known}
	case types.Function:
		return Value{Expr: l.Addr, Type: ir.U64, Elem: t, Obj: ir.NoObject}
	}
	if l.bits != nil {
		return f.loadBits(l, n)
	}
	if t, ok := WideType(l.Type); ok {
		if l.Atomic {
			return f.loadAtomic(l, n)
		}
		return f.loadPair(l, t)
	}
	t := f.Types.Scalar(l.Type, n)
	out := Value{Type: t, Elem: ElemOf(l.Type), Obj: ir.NoObject}
	if l.Reg != ir.NoReg {
		out.Expr = ir.R(l.Reg)
		return out
	}
	order := l.order()
	if l.Atomic {
		order = ir.SeqCst
	}
	l.scalarAt()
	edges := f.Code.edges()
	out.Expr = f.LoadWord(l, t, order)
	if l.Atomic {
		f.sites.noteOperator(n, ir.LoadAccess, edges)
	}
	return out
}

// Store writes a value of the type of the lvalue.
func (f *Accesses) Store(l Lvalue, v Value, n parse.Node) {
	if isWide(l.Type) && l.bits == nil {
		if l.Atomic {
			f.StoreAtomic(l, v, ir.SeqCst)
		} else {
			f.storePair(l, v)
		}
		return
	}
	t := f.Types.Scalar(l.Type, n)
	switch {
	case l.bits != nil:
		f.storeBits(l, v)
	case l.Reg != ir.NoReg:
		f.Code.Assign(l.Reg, v.Expr)
	case l.Atomic:
		edges := f.Code.edges()
		f.AtomicStore(l, t, v.Expr, ir.SeqCst)
		f.sites.noteOperator(n, ir.StoreAccess, edges)
	default:
		l.scalarAt()
		f.StoreWord(l, t, v.Expr)
	}
}

// copyObject is the assignment of a whole struct or union, scalar by scalar.
func (f *Accesses) copyObject(to, from Lvalue, n parse.Node) {
	if to.Atomic || from.Atomic {
		f.copyAtomic(to, from, n)
		return
	}
	for _, l := range f.Layouts.Leaves(to.Type, n) {
		f.StoreWord(f.leaf(to, l), l.Typ, f.LoadWord(f.leaf(from, l), l.Typ, ir.Plain))
	}
}
