package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The functions of string.h, and zeroing: plain loads and stores at the place of
// the call, none of them a fence. A few accesses stand one after the other, more
// become a loop. They are as wide as the pointers say the elements are: what was
// written as an int is copied as an int, so that a copy of shared ints is not torn
// into bytes that no compiler would write.

// maxInline is how many accesses are written out without a loop.
const maxInline = 32

// newPointerArg is an argument that points to bytes.
type pointerArg struct {
	lvalue
	unit int64 // bytes of one access
}

// newPointerArg evaluates a pointer.
func newPointerArg(f *lowering, e cc.ExpressionNode) pointerArg {
	v := f.exprs.operand(e)
	if v.elem == nil && !isNull(f, e) {
		f.in.refuse(codeExpr, e, "a pointer is needed here")
	}
	p := pointerArg{lvalue: lvalue{reg: ir.NoReg, addr: f.code.keep(v).e, obj: v.obj, typ: v.elem}, unit: 1}
	if v.elem == nil || v.elem.IsIncomplete() {
		return p
	}
	t := v.elem
	for t.Kind() == cc.Array {
		t = t.(*cc.ArrayType).Elem()
	}
	switch n := int64(t.Align()); {
	case t.Size() <= 0 || isVoid(t) || t.Kind() == cc.Function:
	case isStruct(t) && (n == 2 || n == 4 || n == 8) && t.Size()%n == 0:
		p.unit = n
	case !isStruct(t):
		if it, ok := intType(t); ok {
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
func length(f *lowering, e cc.ExpressionNode) *ir.Expr {
	v := f.exprs.integerOperand(e)
	return f.code.keep(integer(cast(v.e, v.t, ir.U64), ir.U64)).e
}

// pieces are the accesses to n bytes where n is known and they are few: the members
// of whole structs without padding, else units and the bytes that are left.
func pieces(f *lowering, n *ir.Expr, unit int64, t cc.Type, at cc.Node) ([]leaf, bool) {
	size, ok := n.IsConst()
	if !ok || size < 0 || size > maxInline*8 {
		return nil, false
	}
	var out []leaf
	if t != nil && isStruct(t) && t.Size() > 0 && size%t.Size() == 0 {
		covered := int64(0)
		for off := int64(0); off < size; off += t.Size() {
			for _, l := range f.layouts.leaves(t, at) {
				out = append(out, leaf{off + l.off, l.typ})
				covered += int64(l.typ.Size())
			}
		}
		if covered == size {
			return out, len(out) <= maxInline
		}
		out = nil
	}
	off := int64(0)
	for ; off+unit <= size; off += unit {
		out = append(out, leaf{off, unsigned(unit)})
	}
	return append(out, words(off, size-off)...), len(out) <= maxInline
}

// each runs body for the offsets of n bytes in steps of unit, and then of single
// bytes.
func each(f *lowering, n *ir.Expr, unit int64, body func(off *ir.Expr, t ir.Type)) {
	i := f.code.temp()
	f.code.assign(i, ir.Int(0))
	for _, step := range []int64{unit, 1} {
		upTo(f, i, n, step, func() { body(ir.R(i), unsigned(step)) })
		if unit == 1 {
			break
		}
	}
}

// upTo runs body while another step of i fits below n.
func upTo(f *lowering, i ir.Reg, n *ir.Expr, step int64, body func()) {
	head, inside, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.code.here(head)
	fits := ir.Binary(ir.Ge, ir.U64, ir.Binary(ir.Sub, ir.U64, n, ir.R(i)), ir.Int(step))
	f.code.assume(f.code.start(), fits, inside)
	f.code.assume(head, ir.Negate(fits), end)
	f.code.at, f.code.fresh = inside, false
	body()
	f.code.assign(i, ir.Binary(ir.Add, ir.U64, ir.R(i), ir.Int(step)))
	f.code.jump(head)
	f.code.at, f.code.fresh = end, false
}

// at is the place at an offset that is computed.
func (p pointerArg) at(off *ir.Expr) lvalue {
	l := p.lvalue
	l.addr = addTo(l.addr, off)
	return l
}

func loadWord(f *lowering, l lvalue, t ir.Type) *ir.Expr {
	op := access(ir.Load, l, t, ir.Plain)
	op.Dst = f.code.temp()
	f.code.emit(op)
	return ir.R(op.Dst)
}

func (p pointerArg) result(f *lowering) value {
	return value{e: p.addr, t: ir.U64, elem: f.unit.ast.Void, obj: p.obj}
}

// libCopy is memcpy or memmove. memmove of a few bytes reads all before it writes
// any.
func libCopy(f *lowering, c *libCall) value {
	to, from := newPointerArg(f, c.args[0]), newPointerArg(f, c.args[1])
	n := length(f, c.args[2])
	unit := unitOf(to, from)
	move := c.name == "memmove"
	if parts, few := pieces(f, n, unit, to.typ, c.node); few {
		var words []*ir.Expr
		for i, l := range parts {
			words = append(words, loadWord(f, from.at(ir.Int(l.off)), l.typ))
			if !move {
				f.mem.storeWord(to.at(ir.Int(l.off)), l.typ, words[i])
			}
		}
		for i, l := range parts {
			if move {
				f.mem.storeWord(to.at(ir.Int(l.off)), l.typ, words[i])
			}
		}
		return to.result(f)
	}
	copyAt := func(off *ir.Expr, t ir.Type) {
		f.mem.storeWord(to.at(off), t, loadWord(f, from.at(off), t))
	}
	if !move {
		each(f, n, unit, copyAt)
		return to.result(f)
	}
	up, down, end := f.code.label(""), f.code.label(""), f.code.label("")
	before := ir.Binary(ir.Le, ir.U64, to.addr, from.addr)
	start := f.code.start()
	f.code.assume(start, before, up)
	f.code.assume(start, ir.Negate(before), down)
	f.code.at, f.code.fresh = up, false
	each(f, n, unit, copyAt)
	f.code.jump(end)
	f.code.at, f.code.fresh = down, false
	each(f, n, 1, func(off *ir.Expr, t ir.Type) { // from the end, byte by byte
		copyAt(ir.Binary(ir.Sub, ir.U64, ir.Binary(ir.Sub, ir.U64, n, ir.Int(1)), off), t)
	})
	f.code.here(end)
	return to.result(f)
}

func libMemset(f *lowering, c *libCall) value {
	to := newPointerArg(f, c.args[0])
	v := f.exprs.integerOperand(c.args[1])
	n := length(f, c.args[2])
	pattern := f.code.keep(integer(ir.Binary(ir.Mul, ir.U64, ir.Binary(ir.And, ir.U64, v.e, ir.Int(0xff)), ir.Int(0x0101010101010101)), ir.U64))
	fill(f, to, n, pattern.e, c.node)
	return to.result(f)
}

// fill writes a word that repeats one byte all over a stretch.
func fill(f *lowering, to pointerArg, n, pattern *ir.Expr, at cc.Node) {
	put := func(l lvalue, t ir.Type) {
		f.mem.storeWord(l, t, cast(pattern, ir.U64, ir.Type{Bits: t.Bits}))
	}
	if parts, few := pieces(f, n, to.unit, to.typ, at); few {
		for _, l := range parts {
			put(to.at(ir.Int(l.off)), ir.Type{Bits: l.typ.Bits})
		}
		return
	}
	each(f, n, to.unit, func(off *ir.Expr, t ir.Type) { put(to.at(off), t) })
}

// libCompare is memcmp, strcmp or strncmp: byte by byte to the first difference.
func libCompare(f *lowering, c *libCall) value {
	a, b := newPointerArg(f, c.args[0]), newPointerArg(f, c.args[1])
	n := ir.Int(-1) // as far as there are characters
	if len(c.args) > 2 {
		n = length(f, c.args[2])
	}
	result, i := f.code.temp(), f.code.temp()
	f.code.assign(result, ir.Int(0))
	f.code.assign(i, ir.Int(0))
	end, differ := f.code.label(""), f.code.label("")
	var x, y *ir.Expr
	upTo(f, i, n, 1, func() {
		x, y = loadWord(f, a.at(ir.R(i)), ir.U8), loadWord(f, b.at(ir.R(i)), ir.U8)
		from, same := f.code.start(), f.code.label("")
		equal := ir.Binary(ir.Eq, ir.S32, x, y)
		f.code.assume(from, ir.Negate(equal), differ)
		if c.name != "memcmp" {
			f.code.assume(from, ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(ir.Eq, ir.S32, x, ir.Int(0))), end)
			equal = ir.Binary(ir.LAnd, ir.S64, equal, ir.Binary(ir.Ne, ir.S32, x, ir.Int(0)))
		}
		f.code.assume(from, equal, same)
		f.code.at, f.code.fresh = same, false
	})
	f.code.jump(end)
	f.code.at, f.code.fresh = differ, false
	f.code.assign(result, ir.Conditional(ir.Binary(ir.Lt, ir.S32, x, y), ir.Int(-1), ir.Int(1)))
	f.code.here(end)
	return integer(ir.R(result), ir.S32)
}

// libStrlen counts to the null character.
func libStrlen(f *lowering, c *libCall) value {
	s := newPointerArg(f, c.args[0])
	i := f.code.temp()
	f.code.assign(i, ir.Int(0))
	end := f.code.label("")
	upTo(f, i, ir.Int(-1), 1, func() { leaveAtNull(f, loadWord(f, s.at(ir.R(i)), ir.U8), end) })
	f.code.here(end)
	return integer(ir.R(i), ir.U64)
}

// libStrcpy copies up to the null character and with it.
func libStrcpy(f *lowering, c *libCall) value {
	to, from := newPointerArg(f, c.args[0]), newPointerArg(f, c.args[1])
	i := f.code.temp()
	f.code.assign(i, ir.Int(0))
	end := f.code.label("")
	upTo(f, i, ir.Int(-1), 1, func() {
		b := loadWord(f, from.at(ir.R(i)), ir.U8)
		f.mem.storeWord(to.at(ir.R(i)), ir.U8, b)
		leaveAtNull(f, b, end)
	})
	f.code.here(end)
	return value{e: to.addr, t: ir.U64, elem: f.unit.ast.Char, obj: to.obj}
}

// leaveAtNull goes to end if a character is null, and on otherwise.
func leaveAtNull(f *lowering, char *ir.Expr, end ir.Loc) {
	from, on := f.code.start(), f.code.label("")
	f.code.assume(from, ir.Binary(ir.Eq, ir.S32, char, ir.Int(0)), end)
	f.code.assume(from, ir.Binary(ir.Ne, ir.S32, char, ir.Int(0)), on)
	f.code.at, f.code.fresh = on, false
}

// libCalloc is malloc and stores of zeros: a block may have been used before.
func libCalloc(f *lowering, c *libCall) value {
	x, y := f.exprs.integerOperand(c.args[0]), f.exprs.integerOperand(c.args[1])
	n := f.code.keep(integer(ir.Binary(ir.Mul, ir.U64, cast(x.e, x.t, ir.U64), cast(y.e, y.t, ir.U64)), ir.U64)).e
	var layout *ir.Layout
	for _, a := range c.args {
		if layout == nil {
			layout = f.layouts.allocated(a)
		}
	}
	to := pointerArg{lvalue: lvalue{reg: ir.NoReg, addr: heapBlock(f, c.name, n, layout), obj: ir.NoObject}, unit: 8}
	fill(f, to, n, ir.Int(0), c.node)
	return to.result(f)
}
