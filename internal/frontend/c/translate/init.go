package translate

import (
	"encoding/binary"

	"fencepost/internal/ir"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"
)

// Initialisers. The parser computes where each expression of an initialiser goes; of two for
// one lvalue the later one counts, and braces begin anew for what they enclose.

// part is one expression of an initialiser, for one or several elements.
type part struct {
	off           int64
	count, stride int64
	typ           *types.Type
	bits          *bitRange // off is its unit's
	expr          *parse.Expr
	clear         bool // what was said about these bytes before is forgotten
}

func (p *part) size() int64 { return max(0, p.typ.Size()) }

// parts lists the expressions of an initialiser in the order of the text, of which
// there may be only so many.
func (f *Initialisers) parts(i *parse.Init, n parse.Node, most int64) []part {
	var out []part
	total := int64(0)
	for k := range i.Items {
		item := &i.Items[k]
		p := part{off: item.Offset, count: max(1, item.Count), stride: item.Stride, typ: item.Type, expr: item.Expr, clear: item.Expr == nil}
		if fd := item.Field; fd != nil && fd.IsBitField() && item.Expr != nil {
			b := f.Layouts.bitField(fd, n)
			p.bits, p.off = &b, p.off-fd.Offset+b.off
		}
		if total += p.count; total > most {
			f.In.Refuse(codeLarge, n, "an initialiser of more than %d scalars", most)
		}
		out = append(out, p)
	}
	return out
}

// stringInit is the bytes of a string literal that initialises an array.
func stringInit(p *part) ([]byte, bool) {
	if p.typ.Kind != types.Array || p.expr == nil || p.expr.Op != parse.StringConst {
		return nil, false
	}
	return stringBytes(p.expr, p.typ.Size()), true
}

// stringBytes is the bytes of a string literal, with zeros after them up to a size.
func stringBytes(e *parse.Expr, size int64) []byte {
	bytes := make([]byte, size)
	width := e.Val.Width.Bytes()
	for i, u := range e.Val.Units {
		var word [4]byte
		binary.LittleEndian.PutUint32(word[:], u)
		if at := i * width; at < len(bytes) {
			copy(bytes[at:], word[:width])
		}
	}
	return bytes
}

// initialise fills in the initial bytes of a static object.
func (c *staticData) initialise(u *unit, i *parse.Init, t *types.Type, n parse.Node, bytes []byte) {
	f := c.lower(u)
	f.Code.static = true
	f.inits.initStatic(i, t, n, bytes)
}

func (f *Initialisers) initStatic(i *parse.Init, t *types.Type, n parse.Node, bytes []byte) {
	if i.Expr != nil {
		f.putPart(&part{typ: t, expr: i.Expr}, bytes)
		return
	}
	for _, p := range f.parts(i, n, maxObject) {
		for k := range p.count {
			one := p
			one.off += k * p.stride
			if one.off+one.size() > int64(len(bytes)) && one.bits == nil {
				f.In.Refuse(codeInit, n, "initialisers of flexible array members are not supported")
			}
			f.putPart(&one, bytes)
		}
	}
}

// putPart writes a part into the initial bytes of an object.
func (f *Initialisers) putPart(p *part, bytes []byte) {
	if p.clear {
		clear(bytes[p.off : p.off+p.size()])
		return
	}
	if text, ok := stringInit(p); ok {
		copy(bytes[p.off:], text)
		return
	}
	f.Code.Pos = f.In.Span(p.expr)
	if x := p.expr.Bare(); x.Op == parse.Literal && isAggregate(p.typ) && isAggregate(x.Type) {
		f.initStatic(x.Obj.Init, x.Type, x, bytes[p.off:p.off+p.size()])
		return
	}
	if isAggregate(p.typ) {
		f.In.Refuse(codeInit, p.expr, "this initialiser of type %s is not constant", p.typ)
	}
	value := f.Arith.Convert(f.Exprs.expr(p.expr), p.typ, p.expr)
	v := f.constantWord(value.Expr, p.expr)
	if value.High != nil {
		putWord(bytes[p.off:], ir.U64, v)
		putWord(bytes[p.off+8:], ir.U64, f.constantWord(value.High, p.expr))
		return
	}
	t := f.Types.Scalar(p.typ, p.expr)
	if p.bits == nil {
		putWord(bytes[p.off:], t, v)
		return
	}
	for _, b := range p.bits.parts() {
		var word [8]byte
		at := p.off + b.off - p.bits.off
		copy(word[:], bytes[at:at+int64(b.unit.Size())])
		old := int64(binary.LittleEndian.Uint64(word[:]))
		unit, _ := b.insert(ir.Int(old), ir.Int(v)).IsConst()
		putWord(bytes[at:], b.unit, unit)
		v = int64(uint64(v) >> b.width)
	}
}

// constantWord is the value of a constant.
func (f *Initialisers) constantWord(e *ir.Expr, n parse.Node) int64 {
	v, ok := f.Data.Constant(e)
	if !ok {
		f.In.Refuse(codeInit, n, "the initialiser is not constant")
	}
	return v
}

// putWord writes a word into the initial bytes of an object.
func putWord(bytes []byte, t ir.Type, v int64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], uint64(v))
	copy(bytes[:t.Size()], word[:])
}

// staticLiteral is the object of a compound literal outside functions.
func (f *Initialisers) staticLiteral(x *parse.Expr) Lvalue {
	t := x.Type
	o, ok := f.Syms.anonymous[x.Obj]
	if !ok {
		f.Unit.checkObject("the literal", t, x)
		unit, typ := elementOf(t)
		bytes := make([]byte, t.Size())
		o = f.B.Object("literal", t.Size(), unit, typ, bytes, f.In.Span(x))
		f.Syms.anonymous[x.Obj] = o
		if r := f.In.Catch(func() { f.Data.initialise(f.Unit, x.Obj.Init, t, x, bytes) }); r != nil {
			delete(f.Syms.anonymous, x.Obj)
			panic(*r)
		}
	}
	return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: t}
}

// Constant evaluates an expression over addresses, which are known.
func (c *staticData) Constant(e *ir.Expr) (int64, bool) {
	return e.Map(func(leaf *ir.Expr) *ir.Expr {
		switch leaf.Op {
		case ir.AddrOf:
			if c.B.PerThread(leaf.Obj) {
				return leaf
			}
			return ir.Int(int64(c.B.Addr(leaf.Obj)) + leaf.Value)
		case ir.FuncAddr:
			return ir.Int(ir.FuncAddress(leaf.Func))
		}
		return leaf
	}).IsConst()
}

// write is a value that an initialiser stores into a local object.
type write struct {
	off  int64
	size int64
	typ  ir.Type
	bits *bitRange
	e    *ir.Expr
	from Lvalue // of a whole struct, where e is nil
	tree *types.Type
	late bool // it does not fit a scalar of the object: written at the end
	done bool // a bit-field that was written with its unit
}

// initLocal writes the initialiser of a local object: every scalar in order of
// its address, what the initialiser does not mention as zero.
func (f *Initialisers) initLocal(to Lvalue, i *parse.Init, n parse.Node) {
	if !isAggregate(to.Type) {
		e := i.Expr
		if e == nil && len(i.Items) > 0 { // int x = { 1 };
			e = i.Items[len(i.Items)-1].Expr
		}
		v := Integer(ir.Int(0), ir.S32)
		if e != nil {
			v = f.Exprs.anyOperand(e)
		}
		f.Mem.Store(to, f.Arith.Convert(v, to.Type, n), n)
		return
	}
	if i.Expr != nil {
		f.Mem.copyObject(to, f.Lvals.Lvalue(i.Expr), n)
		return
	}
	leaves := f.Layouts.Leaves(to.Type, n)
	f.writeLeaves(to, leaves, f.writes(i, n), n)
}

// effective returns the parts of an initialiser that count. As in gcc, a part that a later one overrides as a whole is
// not evaluated.
func effective(parts []part) []part {
	type slot struct{ off, size, bit, width int64 }
	last := map[slot]int{}
	at := func(p *part) slot {
		if p.bits != nil {
			return slot{p.off, p.size(), int64(p.bits.shift), int64(p.bits.width)}
		}
		return slot{off: p.off, size: p.size(), bit: -1}
	}
	dead := make([]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		switch {
		case p.clear:
			for j := range i {
				q := &parts[j]
				dead[j] = dead[j] || !q.clear && q.off >= p.off && q.off+(q.count-1)*q.stride+q.size() <= p.off+p.size()
			}
		case p.count == 1:
			if j, ok := last[at(p)]; ok {
				dead[j] = true
			}
			last[at(p)] = i
		}
	}
	var out []part
	for i := range parts {
		if !dead[i] {
			out = append(out, parts[i])
		}
	}
	return out
}

// writes evaluates an initialiser. Nothing is written before everything is
// evaluated.
func (f *Initialisers) writes(i *parse.Init, n parse.Node) []write {
	var out []write
	for _, p := range effective(f.parts(i, n, maxLeaves)) {
		if p.clear {
			kept := out[:0]
			for _, w := range out {
				if w.off < p.off || w.off >= p.off+p.size() {
					kept = append(kept, w)
				}
			}
			out = kept
			continue
		}
		all := f.writesOf(&p)
		for k := range p.count {
			for _, w := range all {
				w.off += k * p.stride
				out = append(out, w)
			}
		}
	}
	return out
}

// writesOf evaluates a part.
func (f *Initialisers) writesOf(p *part) []write {
	var out []write
	if text, ok := stringInit(p); ok {
		t, _ := ScalarType(p.typ.Elem)
		for j := 0; j < len(text); j += t.Size() {
			var word [8]byte
			copy(word[:], text[j:j+t.Size()])
			out = append(out, write{off: p.off + int64(j), size: int64(t.Size()), typ: t, e: ir.Int(t.Wrap(int64(binary.LittleEndian.Uint64(word[:]))))})
		}
		return out
	}
	if IsStruct(p.typ) {
		return append(out, write{off: p.off, size: p.size(), from: f.Lvals.Lvalue(p.expr), tree: p.typ})
	}
	if isAggregate(p.typ) {
		f.In.Refuse(codeInit, p.expr, "this initialiser of type %s is not supported", p.typ)
	}
	v := f.Code.Keep(f.Arith.Convert(f.Exprs.expr(p.expr), p.typ, p.expr))
	if p.bits != nil {
		return append(out, partWrites(p, v.Expr)...)
	}
	if v.High != nil {
		return append(out, write{off: p.off, typ: ir.U64, size: 8, e: v.Expr}, write{off: p.off + 8, typ: ir.U64, size: 8, e: v.High})
	}
	t := f.Types.Scalar(p.typ, p.expr)
	return append(out, write{off: p.off, typ: t, size: int64(t.Size()), e: v.Expr})
}

// partWrites are the writes of a bit-field, one for each of its units.
func partWrites(p *part, v *ir.Expr) []write {
	var out []write
	for _, b := range p.bits.parts() {
		out = append(out, write{off: p.off + b.off - p.bits.off, typ: b.unit, size: int64(b.unit.Size()), bits: &b, e: v})
		v = ir.Binary(ir.Shr, ir.U64, v, ir.Int(int64(b.width)))
	}
	return out
}

// writeLeaves stores what writes say about each scalar, and then what fits none.
func (f *Initialisers) writeLeaves(to Lvalue, leaves []Leaf, writes []write, n parse.Node) {
	owner := make([]int, max(0, to.Type.Size())) // per byte: 1 + the write that counts
	var fields []*write
	for k := range writes {
		w := &writes[k]
		if w.off+w.size > int64(len(owner)) {
			f.In.Refuse(codeInit, n, "an initialiser beyond the object's end is not supported")
		}
		if w.bits != nil {
			fields = append(fields, w)
			continue
		}
		for b := w.off; b < w.off+w.size; b++ {
			owner[b] = k + 1
		}
	}
	for _, l := range leaves {
		size := int64(l.Typ.Size())
		at := f.Mem.leaf(to, l)
		first := owner[l.Off]
		same := true
		for b := l.Off; b < l.Off+size; b++ {
			same = same && owner[b] == first
		}
		switch {
		case same && first == 0:
			f.Mem.StoreWord(at, l.Typ, f.unitValue(l, fields))
		case same && writes[first-1].e == nil:
			writes[first-1].late = true
		case same && writes[first-1].off == l.Off && writes[first-1].size == size:
			f.Mem.StoreWord(at, l.Typ, writes[first-1].e)
		default:
			for b := l.Off; b < l.Off+size; b++ {
				if owner[b] > 0 {
					writes[owner[b]-1].late = true
				}
			}
			f.Mem.StoreWord(at, l.Typ, ir.Int(0))
		}
	}
	for k := range writes {
		switch w := &writes[k]; {
		case !w.late:
		case w.e != nil:
			f.Mem.StoreWord(f.Mem.leaf(to, Leaf{w.off, w.typ}), w.typ, w.e)
		default:
			at := f.Mem.Offset(to, w.off)
			at.Type, at.known = w.tree, alignedTo(int64(to.alignment()), w.off)
			f.Mem.copyObject(at, w.from, n)
		}
	}
	f.lateFields(to, fields)
}

// unitValue is the bit-fields of a word together.
func (f *Initialisers) unitValue(l Leaf, fields []*write) *ir.Expr {
	v := ir.Int(0)
	for _, w := range fields {
		if w.off >= l.Off && w.off+w.size <= l.Off+int64(l.Typ.Size()) {
			b := *w.bits
			b.unit, b.shift = l.Typ, b.shift+8*uint(w.off-l.Off)
			v = b.insert(v, w.e)
			w.done = true
		}
	}
	return v
}

// lateFields writes the bit-fields that are left, as in unions, one by one.
func (f *Initialisers) lateFields(to Lvalue, fields []*write) {
	for _, w := range fields {
		if !w.done {
			l := f.Mem.Offset(to, w.off)
			l.bits, l.known = w.bits, alignedTo(int64(to.alignment()), w.off)
			f.Mem.storeBits(l, Value{Expr: w.e})
		}
	}
}
