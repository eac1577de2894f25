package c

import (
	"encoding/binary"
	"sort"

	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// Initialisers. cc computes where each expression of an initialiser goes.

// part is one expression of an initialiser.
type part struct {
	off  int64
	typ  cc.Type
	expr cc.ExpressionNode
}

// parts lists the expressions of an initialiser; of two for one place C keeps the
// later one.
func (c *compiler) parts(i *cc.Initializer) []part {
	var out []part
	var walk func(i *cc.Initializer)
	walk = func(i *cc.Initializer) {
		if i.Case == cc.InitializerExpr {
			if f := i.Field(); f != nil && f.IsBitfield() {
				c.refuse(codeBitField, i, "bit-fields are not supported")
			}
			out = append(out, part{i.Offset(), i.Type(), i.AssignmentExpression})
			return
		}
		for l := i.InitializerList; l != nil; l = l.InitializerList {
			if l.Designation != nil {
				for d := l.Designation.DesignatorList; d != nil; d = d.DesignatorList {
					if d.Designator.Case == cc.DesignatorIndex2 {
						c.refuse(codeInit, d, "ranges of designators are not supported")
					}
				}
			}
			walk(l.Initializer)
		}
	}
	walk(i)
	sort.SliceStable(out, func(a, b int) bool { return out[a].off < out[b].off })
	var kept []part
	for _, p := range out {
		if n := len(kept); n > 0 && p.off < kept[n-1].off+kept[n-1].typ.Size() {
			if last := kept[n-1]; last.off != p.off || last.typ.Size() != p.typ.Size() {
				c.refuse(codeInit, p.expr, "an initialiser for a part of what another initialises is not supported")
			}
			kept = kept[:n-1]
		}
		kept = append(kept, p)
	}
	return kept
}

// stringInit is the bytes of a string literal that initialises an array.
func stringInit(p part) ([]byte, bool) {
	if p.typ.Kind() != cc.Array {
		return nil, false
	}
	v, ok := p.expr.Value().(cc.StringValue)
	if !ok {
		return nil, false
	}
	bytes := make([]byte, p.typ.Size())
	copy(bytes, v)
	return bytes, true
}

// initialise fills in the initial bytes of a static object.
func (c *compiler) initialise(s *symbol, bytes []byte) {
	f := &lowering{compiler: c, unit: s.unit, static: true}
	for _, p := range c.parts(s.init) {
		if p.off+max(p.typ.Size(), 0) > int64(len(bytes)) {
			c.refuse(codeInit, p.expr, "initialisers of flexible array members are not supported")
		}
		if text, ok := stringInit(p); ok {
			copy(bytes[p.off:], text)
			continue
		}
		if isAggregate(p.typ) {
			c.refuse(codeInit, p.expr, "this initialiser of type %s is not supported", p.typ)
		}
		t := c.scalar(p.typ, p.expr)
		f.pos = c.span(p.expr)
		v, ok := c.constant(f.convert(f.expr(p.expr), p.typ, p.expr).e)
		if !ok {
			c.refuse(codeInit, p.expr, "the initialiser is not constant")
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(v))
		copy(bytes[p.off:p.off+int64(t.Size())], word[:])
	}
}

// constant evaluates an expression over addresses, which are known.
func (c *compiler) constant(e *ir.Expr) (int64, bool) {
	return e.Map(func(leaf *ir.Expr) *ir.Expr {
		switch leaf.Op {
		case ir.AddrOf:
			return ir.Int(int64(c.b.Addr(leaf.Obj)) + leaf.Value)
		case ir.FuncAddr:
			return ir.Int(ir.FuncAddress(leaf.Func))
		}
		return leaf
	}).IsConst()
}

// initLocal writes the initialiser of a local object: every scalar in order of
// its address, what the initialiser does not mention as zero.
func (f *lowering) initLocal(to lvalue, i *cc.Initializer) {
	if i.Case == cc.InitializerExpr && !isAggregate(to.typ) {
		f.store(to, f.convert(f.expr(i.AssignmentExpression), to.typ, i), i)
		return
	}
	parts := f.parts(i)
	if len(parts) == 1 && parts[0].off == 0 && parts[0].typ.Size() == to.typ.Size() && isAggregate(parts[0].typ) {
		if _, ok := stringInit(parts[0]); !ok {
			f.copyObject(to, f.lvalue(parts[0].expr), i)
			return
		}
	}
	done := map[int64]*ir.Expr{}
	types := map[int64]ir.Type{}
	for _, p := range parts {
		if text, ok := stringInit(p); ok {
			for j, b := range text {
				done[p.off+int64(j)] = ir.Int(int64(int8(b)))
				types[p.off+int64(j)] = ir.S8
			}
			continue
		}
		if isAggregate(p.typ) {
			f.refuse(codeInit, p.expr, "this initialiser of type %s is not supported", p.typ)
		}
		// Initialisers are evaluated before anything is written.
		v := f.keep(f.convert(f.expr(p.expr), p.typ, p.expr))
		done[p.off], types[p.off] = v.e, f.scalar(p.typ, i)
	}
	if hasUnion(to.typ) {
		f.initUnion(to, done, types, i)
		return
	}
	for _, l := range f.leaves(to.typ, i) {
		v := done[l.off]
		if v == nil {
			v = ir.Int(0)
		}
		f.storeWord(f.offset(to, l.off), l.typ, v)
	}
}

// initUnion zeroes an object that has unions inside, then writes the members.
func (f *lowering) initUnion(to lvalue, done map[int64]*ir.Expr, types map[int64]ir.Type, n cc.Node) {
	for _, l := range f.leaves(to.typ, n) {
		f.storeWord(f.offset(to, l.off), l.typ, ir.Int(0))
	}
	var offs []int64
	for off := range done {
		offs = append(offs, off)
	}
	sort.Slice(offs, func(i, j int) bool { return offs[i] < offs[j] })
	for _, off := range offs {
		f.storeWord(f.offset(to, off), types[off], done[off])
	}
}

func hasUnion(t cc.Type) bool {
	switch t.Kind() {
	case cc.Union:
		return true
	case cc.Array:
		return hasUnion(t.(*cc.ArrayType).Elem())
	case cc.Struct:
		s := t.(*cc.StructType)
		for i := 0; i < s.NumFields(); i++ {
			if hasUnion(s.FieldByIndex(i).Type()) {
				return true
			}
		}
	}
	return false
}
