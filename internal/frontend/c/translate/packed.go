package translate

import (
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Members that need not lie at a multiple of their size: those of packed structs. Processors access
// what lies inside an aligned word of 8 bytes in one step [Intel SDM 3A §9.1.1; AMD APM 2 §7.3.2].
// An access that crosses a boundary of 8 bytes is split into aligned accesses, the lowest address first.
// If the address is known when the program runs only, each position in the word has a branch of its own.
//
// Locked instructions are atomic at any address, but loads and stores are not: atomic operations on
// such members are refused.

// wordSize is the size of the words inside which an access at any offset is one step.
const wordSize = 8

// alignedTo is a power of two that an address is known to be a multiple of, up to wordSize, if it is some
// bytes after a multiple of align.
func alignedTo(align, offset int64) int8 {
	align = min(align, wordSize)
	for align > 1 && offset%align != 0 {
		align /= 2
	}
	return int8(align)
}

// alignment is a power of two that the address of an lvalue is known to be a multiple of, up to
// wordSize. Named objects lie at multiples of 16.
func (l *Lvalue) alignment() int8 {
	switch {
	case l.Addr != nil && l.Addr.Op == ir.AddrOf:
		return alignedTo(wordSize, l.Addr.Value)
	case l.known > 0:
		return l.known
	}
	return int8(min(wordSize, max(1, l.Type.Align())))
}

// scalarAt says of the lvalue of a scalar what is known about its address: a type can have a smaller
// alignment than its size.
func (l *Lvalue) scalarAt() {
	if l.known == 0 && l.Reg == ir.NoReg {
		l.known = l.alignment()
	}
}

// misplaced reports whether an object may not be at a multiple of what accesses to it in one step need.
func (l *Lvalue) misplaced() bool {
	if l.Reg != ir.NoReg {
		return false
	}
	if isAggregate(l.Type) {
		return int64(l.alignment()) < min(wordSize, l.Type.Align())
	}
	return int64(l.alignment()) < min(wordSize, l.Type.Size())
}

// leaf is a scalar inside the object at l. Where no struct is packed, it is at a multiple of its size.
func (f *Accesses) leaf(l Lvalue, at Leaf) Lvalue {
	known := int8(0)
	if have := l.alignment(); int64(have) < min(wordSize, needs(l.Type)) {
		known = alignedTo(int64(have), at.Off)
	}
	l = f.Offset(l, at.Off)
	l.known = known
	return l
}

// needs is the alignment that accesses to the parts of a type need.
func needs(t *types.Type) int64 {
	switch t.Kind {
	case types.Array:
		return needs(t.Elem)
	case types.Struct, types.Union:
		n := int64(1)
		for i := range t.Record.Fields {
			if f := &t.Record.Fields[i]; !f.IsBitField() {
				n = max(n, needs(f.Type))
			}
		}
		return n
	}
	return max(1, t.Size())
}

// Piece is a part of an access that is split.
type Piece struct {
	Off  int64
	Type ir.Type
}

// Pieces splits an access of some size whose address is so many bytes after a multiple of 8. One that
// does not cross the next multiple of 8 stays as it is.
func Pieces(at, size int64) []Piece {
	if at+size <= wordSize {
		return []Piece{{0, ir.Type{Bits: uint8(8 * size)}}}
	}
	var out []Piece
	for off := int64(0); off < size; {
		n := int64(wordSize)
		for n > 1 && ((at+off)%n != 0 || off+n > size) {
			n /= 2
		}
		out = append(out, Piece{off, ir.Type{Bits: uint8(8 * n)}})
		off += n
	}
	return out
}

// atPositions makes an access to a member that may lie anywhere: work is called with the pieces for
// each position in the aligned word of 8 bytes.
func (f *Accesses) atPositions(l Lvalue, size int64, work func([]Piece)) {
	if l.Addr.Op == ir.AddrOf {
		work(Pieces(l.Addr.Value&(wordSize-1), size))
		return
	}
	step := int64(l.known)
	at := f.Code.Save(Integer(ir.Binary(ir.And, ir.U64, l.Addr, ir.Int(wordSize-1)), ir.U64)).Expr
	from, end := f.Code.Start(), f.Code.Label("")
	branch := func(cond *ir.Expr, parts []Piece) {
		begin := f.Code.Label("")
		f.Code.Assume(from, cond, begin)
		f.Code.At, f.Code.Fresh = begin, false
		work(parts)
		f.Code.Jump(end)
	}
	branch(ir.Binary(ir.Le, ir.U64, at, ir.Int(wordSize-size)), Pieces(0, size))
	for k := wordSize - size + 1; k < wordSize; k++ {
		if k%step == 0 {
			branch(ir.Binary(ir.Eq, ir.U64, at, ir.Int(k)), Pieces(k, size))
		}
	}
	f.Code.At, f.Code.Fresh = end, false
}

// LoadWord loads a word of a type at an lvalue.
func (f *Accesses) LoadWord(l Lvalue, t ir.Type, order ir.Order) *ir.Expr {
	if order == ir.Plain {
		order = l.order()
	}
	dst := f.Code.Temp()
	if l.known == 0 || int(l.known) >= t.Size() {
		op := Access(ir.Load, l, t, order)
		op.Dst = dst
		f.Code.Emit(op)
		return ir.R(dst)
	}
	l.Addr = f.Code.Save(Integer(l.Addr, ir.U64)).Expr
	f.atPositions(l, int64(t.Size()), func(parts []Piece) {
		if len(parts) == 1 {
			op := Access(ir.Load, l, t, order)
			op.Dst = dst
			f.Code.Emit(op)
			return
		}
		word := ir.Int(0)
		for _, p := range parts {
			op := Access(ir.Load, f.Offset(l, p.Off), p.Type, order)
			op.Dst = f.Code.Temp()
			f.Code.Emit(op)
			word = ir.Binary(ir.Or, ir.U64, word, ir.Binary(ir.Shl, ir.U64, ir.R(op.Dst), ir.Int(8*p.Off)))
		}
		f.Code.Assign(dst, Cast(word, ir.U64, ir.Type{Bits: t.Bits, Signed: t.Signed}))
	})
	return ir.R(dst)
}

// StoreWord stores a word of a type at an lvalue.
func (f *Accesses) StoreWord(l Lvalue, t ir.Type, v *ir.Expr) {
	order := l.order()
	if l.known == 0 || int(l.known) >= t.Size() {
		op := Access(ir.Store, l, t, order)
		op.Val = v
		f.Code.Emit(op)
		return
	}
	l.Addr = f.Code.Save(Integer(l.Addr, ir.U64)).Expr
	v = f.Code.Save(Integer(v, t)).Expr
	f.atPositions(l, int64(t.Size()), func(parts []Piece) {
		for _, p := range parts {
			op := Access(ir.Store, f.Offset(l, p.Off), p.Type, order)
			if op.Val = v; len(parts) > 1 {
				op.Val = Cast(ir.Binary(ir.Shr, ir.U64, v, ir.Int(8*p.Off)), ir.U64, p.Type)
			} else {
				op.Type = t
			}
			f.Code.Emit(op)
		}
	})
}
