package translate

import (
	"cmp"
	"encoding/binary"
	"slices"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Initialisers. cc computes where each expression of an initialiser goes; of two for
// one lvalue the later one counts, and braces begin anew for what they enclose.

// part is one expression of an initialiser, or the braces around several.
type part struct {
	off   int64
	typ   cc.Type
	bits  *bitRange // off is its unit's
	expr  cc.ExpressionNode
	clear bool // braces: what was said about these bytes before is forgotten
}

func (p *part) size() int64 { return max(0, p.typ.Size()) }

// parts lists the expressions of an initialiser in the order of the text, of which
// there may be only so many.
func (c *staticData) parts(i *cc.Initializer, most int) []part {
	var out []part
	var walk func(i *cc.Initializer, shift int64)
	walk = func(i *cc.Initializer, shift int64) {
		if len(out) > most {
			c.In.Refuse(codeLarge, i, "an initialiser of more than %d scalars", most)
		}
		if i.Case == cc.InitializerExpr {
			p := part{off: shift + i.Offset(), typ: i.Type(), expr: i.AssignmentExpression}
			if f := i.Field(); f != nil && f.IsBitfield() {
				b := c.Layouts.bitField(f, i)
				p.bits, p.off = &b, p.off-f.Offset()+b.off
			}
			out = append(out, p)
			return
		}
		if i.Type() != nil {
			out = append(out, part{off: shift + i.Offset(), typ: i.Type(), clear: true})
		}
		for l := i.InitializerList; l != nil; l = l.InitializerList {
			n, stride := c.repeated(l)
			for k := range n {
				walk(l.Initializer, shift+k*stride)
			}
		}
	}
	walk(i, 0)
	c.oneMember(out)
	return out
}

// oneMember refuses an initialiser of two members of a union, of which only the last counts: here the
// bytes beyond it would keep the value of the first. Scalars overlap nowhere else.
func (c *staticData) oneMember(parts []part) {
	var said []*part // the scalars that count so far, in the order of their offsets
	for i := range parts {
		p := &parts[i]
		if p.bits != nil {
			continue
		}
		whole := p.clear || isAggregate(p.typ)
		at, _ := slices.BinarySearchFunc(said, p.off, func(q *part, off int64) int { return cmp.Compare(q.off+q.size()-1, off) })
		last := at
		for last < len(said) && said[last].off < p.off+p.size() {
			if !whole && (said[last].off != p.off || said[last].size() != p.size()) {
				c.In.Refuse(codeInit, p.expr, "an initialiser of two members of a union is not supported")
			}
			last++
		}
		switch {
		case whole:
			said = slices.Delete(said, at, last)
		case last == at:
			said = slices.Insert(said, at, p)
		}
	}
}

// repeated is how many elements a designator such as [0 ... 3] names, and how far
// they are apart.
func (c *staticData) repeated(l *cc.InitializerList) (n, stride int64) {
	if l.Designation == nil || l.Initializer.Len() == 1 {
		return 1, 0
	}
	d := l.Designation.DesignatorList
	if d.DesignatorList != nil {
		c.In.Refuse(codeInit, d, "a range of designators with further designators is not supported")
	}
	return l.Initializer.Len(), l.Initializer.Type().Size()
}

// stringInit is the bytes of a string literal that initialises an array.
func stringInit(p *part) ([]byte, bool) {
	if p.typ.Kind() != cc.Array {
		return nil, false
	}
	text, ok := stringBytes(p.expr)
	if !ok {
		return nil, false
	}
	bytes := make([]byte, p.typ.Size())
	copy(bytes, text)
	return bytes, true
}

// stringBytes is the bytes of a string literal: characters, or words of wide ones.
func stringBytes(e cc.ExpressionNode) ([]byte, bool) {
	switch v := e.Value().(type) {
	case cc.StringValue:
		return []byte(v), true
	case cc.UTF32StringValue:
		var out []byte
		for _, c := range v {
			out = binary.LittleEndian.AppendUint32(out, uint32(c))
		}
		return out, true
	}
	return nil, false
}

// initialise fills in the initial bytes of a static object.
func (c *staticData) initialise(u *unit, i *cc.Initializer, bytes []byte) {
	f := c.newLowering(u)
	f.Code.static = true
	f.inits.initStatic(i, bytes)
}

func (f *Initialisers) initStatic(i *cc.Initializer, bytes []byte) {
	for _, p := range f.Data.parts(i, maxObject) {
		if p.off+p.size() > int64(len(bytes)) && p.bits == nil {
			f.In.Refuse(codeInit, i, "initialisers of flexible array members are not supported")
		}
		if p.clear {
			clear(bytes[p.off : p.off+p.size()])
			continue
		}
		if text, ok := stringInit(&p); ok {
			copy(bytes[p.off:], text)
			continue
		}
		f.Code.Pos = f.In.Span(p.expr)
		if x, ok := Unparen(p.expr).(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionComplit && isAggregate(p.typ) && isAggregate(x.Type()) {
			f.initStatic(literalInit(x), bytes[p.off:p.off+p.size()])
			continue
		}
		if isAggregate(p.typ) {
			f.In.Refuse(codeInit, p.expr, "this initialiser of type %s is not constant", p.typ)
		}
		value := f.Exprs.Convert(f.Exprs.expr(p.expr), p.typ, p.expr)
		v := f.constantWord(value.Expr, p.expr)
		if value.High != nil {
			putWord(bytes[p.off:], ir.U64, v)
			putWord(bytes[p.off+8:], ir.U64, f.constantWord(value.High, p.expr))
			continue
		}
		t := f.Types.Scalar(p.typ, p.expr)
		if p.bits == nil {
			putWord(bytes[p.off:], t, v)
			continue
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
}

// constantWord is the value of a constant.
func (f *Initialisers) constantWord(e *ir.Expr, n cc.Node) int64 {
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
func (f *Initialisers) staticLiteral(x *cc.PostfixExpression) Lvalue {
	t := x.TypeName.Type()
	o, ok := f.Syms.anonymous[x]
	if !ok {
		f.Syms.checkObject("the literal", t, x)
		unit, typ := elementOf(t)
		bytes := make([]byte, t.Size())
		o = f.B.Object("literal", t.Size(), unit, typ, bytes, f.In.Span(x))
		f.Syms.anonymous[x] = o
		if r := f.In.Catch(func() { f.Data.initialise(f.Unit, literalInit(x), bytes) }); r != nil {
			delete(f.Syms.anonymous, x)
			panic(*r)
		}
	}
	return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: t}
}

// literalInit is the initialiser of a compound literal.
func literalInit(x *cc.PostfixExpression) *cc.Initializer {
	return &cc.Initializer{Case: cc.InitializerInitList, InitializerList: x.InitializerList, Token: x.Token}
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
	tree cc.Type
	late bool // it does not fit a scalar of the object: written at the end
	done bool // a bit-field that was written with its unit
}

// initLocal writes the initialiser of a local object: every scalar in order of
// its address, what the initialiser does not mention as zero.
func (f *Initialisers) initLocal(to Lvalue, i *cc.Initializer) {
	if !isAggregate(to.Type) {
		e := i
		for e.Case != cc.InitializerExpr && e.InitializerList != nil { // int x = { 1 };
			e = e.InitializerList.Initializer
		}
		if e.Case != cc.InitializerExpr {
			f.Mem.Store(to, f.Exprs.Convert(Integer(ir.Int(0), ir.S32), to.Type, i), i)
			return
		}
		f.Mem.Store(to, f.Exprs.Convert(f.Exprs.anyOperand(e.AssignmentExpression), to.Type, i), i)
		return
	}
	if i.Case == cc.InitializerExpr && IsStruct(i.AssignmentExpression.Type()) {
		f.Mem.copyObject(to, f.Lvals.Lvalue(i.AssignmentExpression), i)
		return
	}
	leaves := f.Layouts.Leaves(to.Type, i)
	f.writeLeaves(to, leaves, f.writes(i), i)
}

// writes evaluates an initialiser. Nothing is written before everything is
// evaluated.
func (f *Initialisers) writes(i *cc.Initializer) []write {
	var out []write
	for _, p := range f.Data.parts(i, maxLeaves) {
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
		if text, ok := stringInit(&p); ok {
			t, _ := ScalarType(p.typ.(*cc.ArrayType).Elem())
			for j := 0; j < len(text); j += t.Size() {
				var word [8]byte
				copy(word[:], text[j:j+t.Size()])
				out = append(out, write{off: p.off + int64(j), size: int64(t.Size()), typ: t, e: ir.Int(t.Wrap(int64(binary.LittleEndian.Uint64(word[:]))))})
			}
			continue
		}
		if IsStruct(p.typ) {
			out = append(out, write{off: p.off, size: p.size(), from: f.Lvals.Lvalue(p.expr), tree: p.typ})
			continue
		}
		if isAggregate(p.typ) {
			f.In.Refuse(codeInit, p.expr, "this initialiser of type %s is not supported", p.typ)
		}
		v := f.Code.Keep(f.Exprs.Convert(f.Exprs.expr(p.expr), p.typ, p.expr))
		if p.bits != nil {
			out = append(out, partWrites(&p, v.Expr)...)
			continue
		}
		if v.High != nil {
			out = append(out, write{off: p.off, typ: ir.U64, size: 8, e: v.Expr}, write{off: p.off + 8, typ: ir.U64, size: 8, e: v.High})
			continue
		}
		t := f.Types.Scalar(p.typ, i)
		out = append(out, write{off: p.off, typ: t, size: int64(t.Size()), e: v.Expr})
	}
	return out
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
func (f *Initialisers) writeLeaves(to Lvalue, leaves []Leaf, writes []write, n cc.Node) {
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
