package library

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// The functions of string.h, and zeroing: plain loads and stores where they are
// the call, none of them a fence. A few accesses stand one after the other, more
// become a loop. They are as wide as the pointers say the elements are: what was
// written as an int is copied as an int, so that a copy of shared ints is not torn
// into bytes that no compiler would write.

// maxInline is how many accesses are written out without a loop.
const maxInline = 32

// newPointerArg is an argument that points to bytes.
type pointerArg struct {
	translate.Lvalue
	unit int64 // bytes of one access
}

// newPointerArg evaluates a pointer.
func newPointerArg(f *translate.Lowering, e *parse.Expr) pointerArg {
	v := f.Exprs.Operand(e)
	if v.Elem == nil && !isNull(f, e) {
		f.In.Reject(translate.CodeExpr, e, "a pointer is needed here")
	}
	p := pointerArg{Lvalue: translate.Lvalue{Reg: ir.NoReg, Addr: f.Code.Keep(v).Expr, Obj: v.Obj, Type: v.Elem}, unit: 1}
	if v.Elem == nil || v.Elem.IsIncomplete() {
		return p
	}
	t := v.Elem
	for t.Kind == types.Array {
		t = t.Elem
	}
	switch n := t.Align(); {
	case t.Size() <= 0 || translate.IsVoid(t) || t.Kind == types.Function:
	case translate.IsStruct(t) && (n == 2 || n == 4 || n == 8) && t.Size()%n == 0:
		p.unit = n
	case !translate.IsStruct(t):
		if it, ok := translate.ScalarType(t); ok {
			p.unit = int64(it.Size())
		}
	}
	return p
}

// unitOf is how wide accesses are that go through two pointers; one to bytes says
// nothing.
func unitOf(a, b pointerArg) int64 {
	switch {
	case a.unit == 1:
		return b.unit
	case b.unit == 1:
		return a.unit
	}
	return min(a.unit, b.unit)
}

func unsigned(bytes int64) ir.Type { return ir.Type{Bits: uint8(8 * bytes)} }

// length evaluates how many bytes are meant.
func length(f *translate.Lowering, e *parse.Expr) *ir.Expr {
	v := f.Exprs.IntegerOperand(e)
	return f.Code.Keep(translate.Integer(translate.Cast(v.Expr, v.Type, ir.U64), ir.U64)).Expr
}

// pieces are the accesses to n bytes where n is known and they are few: the members
// of whole structs without padding, else units and the bytes that are left.
func pieces(f *translate.Lowering, n *ir.Expr, unit int64, t *types.Type, at parse.Node) ([]translate.Leaf, bool) {
	size, ok := n.IsConst()
	if !ok || size < 0 || size > maxInline*8 {
		return nil, false
	}
	var out []translate.Leaf
	if t != nil && translate.IsStruct(t) && t.Size() > 0 && size%t.Size() == 0 {
		covered := int64(0)
		for off := int64(0); off < size; off += t.Size() {
			for _, l := range f.Layouts.Leaves(t, at) {
				out = append(out, translate.Leaf{Off: off + l.Off, Typ: l.Typ})
				covered += int64(l.Typ.Size())
			}
		}
		if covered == size {
			return out, len(out) <= maxInline
		}
		out = nil
	}
	off := int64(0)
	for ; off+unit <= size; off += unit {
		out = append(out, translate.Leaf{Off: off, Typ: unsigned(unit)})
	}
	return append(out, translate.Words(off, size-off)...), len(out) <= maxInline
}

// each runs body for the offsets of n bytes in steps of unit, and then of single
// bytes.
func each(f *translate.Lowering, n *ir.Expr, unit int64, body func(off *ir.Expr, t ir.Type)) {
	i := f.Code.Temp()
	f.Code.Assign(i, ir.Int(0))
	for _, step := range []int64{unit, 1} {
		upTo(f, i, n, step, func() { body(ir.R(i), unsigned(step)) })
		if unit == 1 {
			break
		}
	}
}

// upTo runs body while another step of i fits below n.
func upTo(f *translate.Lowering, i ir.Reg, n *ir.Expr, step int64, body func()) {
	head, inside, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(head)
	fits := ir.Binary(ir.Ge, ir.U64, ir.Binary(ir.Sub, ir.U64, n, ir.R(i)), ir.Int(step))
	f.Code.Assume(f.Code.Start(), fits, inside)
	f.Code.Assume(head, ir.Negate(fits), end)
	f.Code.At, f.Code.Fresh = inside, false
	body()
	f.Code.Assign(i, ir.Binary(ir.Add, ir.U64, ir.R(i), ir.Int(step)))
	f.Code.Jump(head)
	f.Code.At, f.Code.Fresh = end, false
}

// at is the lvalue at an offset that is computed.
func (p pointerArg) at(off *ir.Expr) translate.Lvalue {
	l := p.Lvalue
	l.Addr = translate.AddTo(l.Addr, off)
	return l
}

func loadWord(f *translate.Lowering, l translate.Lvalue, t ir.Type) *ir.Expr {
	op := translate.Access(ir.Load, l, t, ir.Plain)
	op.Dst = f.Code.Temp()
	f.Code.Emit(op)
	return ir.R(op.Dst)
}

func (p pointerArg) result(f *translate.Lowering) translate.Value {
	return translate.Value{Expr: p.Addr, Type: ir.U64, Elem: types.Of(types.Void), Obj: p.Obj}
}

// libCopy is memcpy or memmove. memmove of a few bytes reads all before it writes
// any.
func libCopy(f *translate.Lowering, c *translate.Call) translate.Value {
	to, from := newPointerArg(f, c.Args[0]), newPointerArg(f, c.Args[1])
	n := length(f, c.Args[2])
	unit := unitOf(to, from)
	move := c.Name == "memmove"
	if parts, few := pieces(f, n, unit, to.Type, c.Node); few {
		var words []*ir.Expr
		for i, l := range parts {
			words = append(words, loadWord(f, from.at(ir.Int(l.Off)), l.Typ))
			if !move {
				f.Mem.StoreWord(to.at(ir.Int(l.Off)), l.Typ, words[i])
			}
		}
		for i, l := range parts {
			if move {
				f.Mem.StoreWord(to.at(ir.Int(l.Off)), l.Typ, words[i])
			}
		}
		return to.result(f)
	}
	copyAt := func(off *ir.Expr, t ir.Type) {
		f.Mem.StoreWord(to.at(off), t, loadWord(f, from.at(off), t))
	}
	if !move {
		each(f, n, unit, copyAt)
		return to.result(f)
	}
	up, down, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	before := ir.Binary(ir.Le, ir.U64, to.Addr, from.Addr)
	start := f.Code.Start()
	f.Code.Assume(start, before, up)
	f.Code.Assume(start, ir.Negate(before), down)
	f.Code.At, f.Code.Fresh = up, false
	each(f, n, unit, copyAt)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = down, false
	each(f, n, 1, func(off *ir.Expr, t ir.Type) { // from the end, byte by byte
		copyAt(ir.Binary(ir.Sub, ir.U64, ir.Binary(ir.Sub, ir.U64, n, ir.Int(1)), off), t)
	})
	f.Code.Here(end)
	return to.result(f)
}

func libMemset(f *translate.Lowering, c *translate.Call) translate.Value {
	to := newPointerArg(f, c.Args[0])
	v := f.Exprs.IntegerOperand(c.Args[1])
	n := length(f, c.Args[2])
	pattern := f.Code.Keep(translate.Integer(ir.Binary(ir.Mul, ir.U64, ir.Binary(ir.And, ir.U64, v.Expr, ir.Int(0xff)), ir.Int(0x0101010101010101)), ir.U64))
	fill(f, to, n, pattern.Expr, c.Node)
	return to.result(f)
}

// fill writes a word that repeats one byte all over a stretch.
func fill(f *translate.Lowering, to pointerArg, n, pattern *ir.Expr, at parse.Node) {
	put := func(l translate.Lvalue, t ir.Type) {
		f.Mem.StoreWord(l, t, translate.Cast(pattern, ir.U64, ir.Type{Bits: t.Bits}))
	}
	if parts, few := pieces(f, n, to.unit, to.Type, at); few {
		for _, l := range parts {
			put(to.at(ir.Int(l.Off)), ir.Type{Bits: l.Typ.Bits})
		}
		return
	}
	each(f, n, to.unit, func(off *ir.Expr, t ir.Type) { put(to.at(off), t) })
}

// libCompare is memcmp, strcmp or strncmp: byte by byte to the first difference.
func libCompare(f *translate.Lowering, c *translate.Call) translate.Value {
	a, b := newPointerArg(f, c.Args[0]), newPointerArg(f, c.Args[1])
	n := ir.Int(-1) // as far as there are characters
	if len(c.Args) > 2 {
		n = length(f, c.Args[2])
	}
	result, i := f.Code.Temp(), f.Code.Temp()
	f.Code.Assign(result, ir.Int(0))
	f.Code.Assign(i, ir.Int(0))
	end, differ := f.Code.Label(""), f.Code.Label("")
	var x, y *ir.Expr
	upTo(f, i, n, 1, func() {
		x, y = loadWord(f, a.at(ir.R(i)), ir.U8), loadWord(f, b.at(ir.R(i)), ir.U8)
		from, same := f.Code.Start(), f.Code.Label("")
		equal := ir.Binary(ir.Eq, ir.S32, x, y)
		f.Code.Assume(from, ir.Negate(equal), differ)
		if c.Name != "memcmp" {
			f.Code.Assume(from, ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(ir.Eq, ir.S32, x, ir.Int(0))), end)
			equal = ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(ir.Ne, ir.S32, x, ir.Int(0)))
		}
		f.Code.Assume(from, equal, same)
		f.Code.At, f.Code.Fresh = same, false
	})
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = differ, false
	f.Code.Assign(result, ir.Conditional(ir.Binary(ir.Lt, ir.S32, x, y), ir.Int(-1), ir.Int(1)))
	f.Code.Here(end)
	return translate.Integer(ir.R(result), ir.S32)
}

// libStrlen counts to the null character.
func libStrlen(f *translate.Lowering, c *translate.Call) translate.Value {
	s := newPointerArg(f, c.Args[0])
	i := f.Code.Temp()
	f.Code.Assign(i, ir.Int(0))
	end := f.Code.Label("")
	upTo(f, i, ir.Int(-1), 1, func() { leaveAtNull(f, loadWord(f, s.at(ir.R(i)), ir.U8), end) })
	f.Code.Here(end)
	return translate.Integer(ir.R(i), ir.U64)
}

// libStrcpy copies up to the null character and with it.
func libStrcpy(f *translate.Lowering, c *translate.Call) translate.Value {
	to, from := newPointerArg(f, c.Args[0]), newPointerArg(f, c.Args[1])
	i := f.Code.Temp()
	f.Code.Assign(i, ir.Int(0))
	end := f.Code.Label("")
	upTo(f, i, ir.Int(-1), 1, func() {
		b := loadWord(f, from.at(ir.R(i)), ir.U8)
		f.Mem.StoreWord(to.at(ir.R(i)), ir.U8, b)
		leaveAtNull(f, b, end)
	})
	f.Code.Here(end)
	return translate.Value{Expr: to.Addr, Type: ir.U64, Elem: types.Of(types.Char), Obj: to.Obj}
}

// leaveAtNull goes to end if a character is null, and on otherwise.
func leaveAtNull(f *translate.Lowering, char *ir.Expr, end ir.Loc) { leaveAt(f, char, 0, end) }

// leaveAt goes to end if a character is another one, and on otherwise.
func leaveAt(f *translate.Lowering, char *ir.Expr, other int64, end ir.Loc) {
	from, on := f.Code.Start(), f.Code.Label("")
	f.Code.Assume(from, ir.Binary(ir.Eq, ir.S32, char, ir.Int(other)), end)
	f.Code.Assume(from, ir.Binary(ir.Ne, ir.S32, char, ir.Int(other)), on)
	f.Code.At, f.Code.Fresh = on, false
}

// libCalloc is malloc and stores of zeros: a block may have been used before. If the product of the
// arguments does not fit, it returns a null pointer.
func libCalloc(f *translate.Lowering, c *translate.Call) translate.Value {
	x, y := f.Exprs.IntegerOperand(c.Args[0]), f.Exprs.IntegerOperand(c.Args[1])
	x.Expr, y.Expr = translate.Cast(x.Expr, x.Type, ir.U64), translate.Cast(y.Expr, y.Type, ir.U64)
	x, y = f.Code.Keep(translate.Integer(x.Expr, ir.U64)), f.Code.Keep(translate.Integer(y.Expr, ir.U64))
	divisor := ir.Binary(ir.Or, ir.U64, y.Expr, ir.Binary(ir.Eq, ir.U64, y.Expr, ir.Int(0)))
	wraps := ir.Binary(ir.Gt, ir.U64, x.Expr, ir.Binary(ir.Div, ir.U64, ir.Int(-1), divisor))
	if v, ok := wraps.IsConst(); ok && v == 0 {
		return cleared(f, c, x, y)
	}
	out := f.Code.Fb.Reg("t", 0, f.Code.Pos)
	from, fits, fails, end := f.Code.Start(), f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Assume(from, wraps, fails)
	f.Code.Assume(from, ir.Negate(wraps), fits)
	f.Code.At, f.Code.Fresh = fails, false
	setErrno(f, ir.Int(1), errNoMemory)
	f.Code.Assign(out, ir.Int(0))
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = fits, false
	f.Code.Assign(out, cleared(f, c, x, y).Expr)
	f.Code.Here(end)
	return translate.Value{Expr: ir.R(out), Type: ir.U64, Elem: types.Of(types.Void), Obj: ir.NoObject}
}

// cleared allocates a block for x objects of y bytes and writes zeros to it.
func cleared(f *translate.Lowering, c *translate.Call, x, y translate.Value) translate.Value {
	align := int64(0)
	if c.Name == pagesName {
		align = maxPageAlign
	}
	n := f.Code.Keep(translate.Integer(ir.Binary(ir.Mul, ir.U64, x.Expr, y.Expr), ir.U64)).Expr
	var layout *ir.Layout
	for _, a := range c.Args {
		if layout == nil {
			layout = f.Layouts.Allocated(a)
		}
	}
	to := pointerArg{Lvalue: translate.Lvalue{Reg: ir.NoReg, Addr: heapBlock(f, c.Name, n, align, layout), Obj: ir.NoObject}, unit: 8}
	fill(f, to, n, ir.Int(0), c.Node)
	return to.result(f)
}
