package translate

import (
	"sort"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Types: how a scalar is held in a word.

// IntType is how values of integer types and pointers are held: an integer type as itself, a
// pointer as an unsigned word. ok is false for everything else.
func IntType(t *types.Type) (it ir.Type, ok bool) {
	switch t.Kind {
	case types.Bool:
		return ir.U8, true
	case types.Pointer, types.Function:
		return ir.U64, true
	case types.Enum:
		if t.Record.Int == nil {
			return ir.S32, true
		}
		return IntType(t.Record.Int)
	case types.Char, types.SChar, types.UChar, types.Short, types.UShort, types.Int, types.UInt, types.Long, types.ULong, types.LongLong, types.ULongLong:
		it := ir.Type{Bits: uint8(8 * t.Size()), Signed: !t.IsUnsigned()}
		return it, it.Valid()
	}
	return ir.Type{}, false
}

// Scalar is ScalarType, and refuses what ScalarType does not know.
func (c *Typing) Scalar(t *types.Type, n parse.Node) ir.Type {
	it, ok := ScalarType(t)
	switch {
	case ok:
		return it
	case t.IsFloat(), t.Kind == types.Complex:
		c.In.Refuse(codeFloat, n, "floating point of type %s is not supported", t)
	case isAggregate(t):
		c.In.Refuse(codeAggregate, n, "a value of type %s is not supported here", t)
	}
	c.In.Refuse(read.CodeType, n, "type %s is not supported here", t)
	panic("BUG: unreachable")
}

func isAggregate(t *types.Type) bool {
	return t.IsRecord() || t.Kind == types.Array
}

// IsVoid reports whether t is void.
func IsVoid(t *types.Type) bool { return t.Kind == types.Void }

// promote is C's integer promotion [C11 6.3.1.1].
func promote(t ir.Type) ir.Type {
	if t.Bits < 32 {
		return ir.S32
	}
	return t
}

// promoteArgument is C's promotion of arguments without a parameter [C11 6.5.2.2 p6].
func promoteArgument(t ir.Type) ir.Type {
	if t.Float {
		return ir.F64
	}
	return promote(t)
}

// common is the type of the usual arithmetic conversions [C11 6.3.1.8].
func common(a, b ir.Type) ir.Type {
	a, b = promote(a), promote(b)
	switch {
	case a == ir.F64 || b == ir.F64:
		return ir.F64
	case a.Float || b.Float:
		return ir.F32
	case a.Bits > b.Bits:
		return a
	case b.Bits > a.Bits:
		return b
	case !a.Signed:
		return a
	}
	return b
}

// ElemSize is the step of arithmetic on pointers to t; void and functions count as
// bytes, as in GNU C.
func (c *Typing) ElemSize(t *types.Type, n parse.Node) int64 {
	c.checkArray(t, n)
	switch {
	case t.Kind == types.Void || t.Kind == types.Function:
		return 1
	case t.IsIncomplete() || t.Size() <= 0:
		c.In.Reject(read.CodeType, n, "arithmetic on a pointer to %s, whose size is not known", t)
	}
	return t.Size()
}

// checkArray refuses arrays whose length is not constant.
func (c *Typing) checkArray(t *types.Type, n parse.Node) {
	for t.Kind == types.Array {
		if t.Len == types.Variable {
			c.In.Refuse(codeVLA, n, "variable-length arrays are not supported here")
		}
		t = t.Elem
	}
}

// Leaf is a scalar inside an object.
type Leaf struct {
	Off int64
	Typ ir.Type
}

// Leaves are the scalars of a type in order of their offsets. A union is taken as
// words: which member holds is not known.
func (c *Layouts) Leaves(t *types.Type, n parse.Node) []Leaf {
	out := c.appendLeaves(nil, t, 0, n)
	sort.Slice(out, func(i, j int) bool { return out[i].Off < out[j].Off }) // bit-fields come first
	if len(out) > maxLeaves {
		c.In.Refuse(codeLarge, n, "this writes more than %d scalars one by one", maxLeaves)
	}
	return out
}

func (c *Layouts) appendLeaves(out []Leaf, t *types.Type, off int64, n parse.Node) []Leaf {
	if len(out) > maxLeaves {
		return out
	}
	switch t.Kind {
	case types.Array:
		c.Types.checkArray(t, n)
		for i := int64(0); i < t.Len && len(out) <= maxLeaves; i++ {
			out = c.appendLeaves(out, t.Elem, off+i*t.Elem.Size(), n)
		}
	case types.Struct:
		for _, u := range c.placements(t.Record).units() {
			out = append(out, Leaf{off + u.Off, u.Typ})
		}
		for i := range t.Record.Fields {
			f := &t.Record.Fields[i]
			if !f.IsBitField() && !isFlexible(f) {
				out = c.appendLeaves(out, f.Type, off+f.Offset, n)
			}
		}
	case types.Union:
		out = append(out, Words(off, t.Size())...)
	default:
		if it, ok := ScalarType(t); ok {
			out = append(out, Leaf{off, it})
		} else if t.IsIncomplete() || t.Size() < 0 {
			c.Types.Scalar(t, n)
		} else { // a number that no operation takes can be copied
			out = append(out, Words(off, t.Size())...)
		}
	}
	return out
}

// isFlexible reports whether a member is an array without a length.
func isFlexible(f *types.Field) bool { return f.Type.Kind == types.Array && f.Type.Len < 0 }

// Words cuts a stretch of bytes into accesses.
func Words(off, size int64) []Leaf {
	var out []Leaf
	for _, t := range []ir.Type{ir.U64, ir.U32, ir.U16, ir.U8} {
		for n := int64(t.Size()); size >= n; size -= n {
			out = append(out, Leaf{off, t})
			off += n
		}
	}
	return out
}
