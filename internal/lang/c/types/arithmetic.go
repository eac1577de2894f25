package types

// Promote returns the type to which the integer promotions bring a type.
func (t *Type) Promote() *Type {
	switch t.Kind {
	case Bool, Char, SChar, UChar, Short, UShort:
		return Of(Int)
	case Enum:
		if t.Record.Int == nil {
			return Of(Int)
		}
		return t.Record.Int.Promote()
	default:
		return t.Unqualified().plain()
	}
}

// plain returns an arithmetic type without an alignment that a typedef gave it.
func (t *Type) plain() *Type {
	if t.Aligned == 0 || t.Kind > Float128 || t.Width != 0 || t.Unsigned {
		return t
	}
	if t.Extended {
		u := *t
		u.Aligned = 0
		return &u
	}
	return Of(t.Kind)
}

// PromoteField returns the type of a bit-field in an expression: int if it can hold all
// values of the bit-field.
func (t *Type) PromoteField(bits int64) *Type {
	switch {
	case t.Kind == Bool:
		return Of(Int)
	case bits < 32 || bits == 32 && !t.IsUnsigned():
		return Of(Int)
	case bits == 32:
		return Of(UInt)
	case int(bits) < t.Promote().Bits():
		return &Type{Kind: t.Promote().Kind, Width: int16(bits)}
	default:
		return t.Promote()
	}
}

// floatRank orders the floating types.
func (t *Type) floatRank() int {
	rank := int(t.Kind) * 4
	switch t.Name {
	case "_Float32":
		rank++
	case "_Float64":
		rank = int(Double)*4 + 1
	case "_Float32x": // has the values of double, which is preferred
		rank = int(Double)*4 - 1
	case "_Float64x":
		rank = int(LongDouble)*4 - 1
	}
	return rank
}

// Common returns the type to which the usual arithmetic conversions bring two arithmetic types.
func Common(a, b *Type) *Type {
	if a.Kind == Complex || b.Kind == Complex {
		return ComplexOf(Common(part(a), part(b)))
	}
	if a.IsFloat() || b.IsFloat() {
		switch {
		case !b.IsFloat():
			return a.Unqualified().plain()
		case !a.IsFloat():
			return b.Unqualified().plain()
		case a.floatRank() >= b.floatRank():
			return a.Unqualified().plain()
		default:
			return b.Unqualified().plain()
		}
	}
	a, b = a.Promote(), b.Promote()
	if a.Width != 0 || b.Width != 0 {
		if a.Bits() > b.Bits() || a.Bits() == b.Bits() && (a.IsUnsigned() || !b.IsUnsigned()) {
			return a
		}
		return b
	}
	if a.Kind == b.Kind {
		return a
	}
	if rank(a.Kind) < rank(b.Kind) {
		a, b = b, a
	}
	if a.IsUnsigned() || !b.IsUnsigned() || a.Size() > b.Size() { // a has the higher rank
		return a
	}
	return Of(a.Kind + 1)
}

func part(t *Type) *Type {
	if t.Kind == Complex {
		return t.Elem
	}
	return t
}

func rank(k Kind) int { return (int(k) - int(Int)) / 2 }

// Compatible reports whether two types are compatible, qualifiers included.
func Compatible(a, b *Type) bool {
	if a == b {
		return true
	}
	if a.Qual != b.Qual {
		return false
	}
	return compatible(a, b)
}

// CompatibleUnqualified is Compatible without the outermost qualifiers.
func CompatibleUnqualified(a, b *Type) bool { return Compatible(a.Unqualified(), b.Unqualified()) }

func compatible(a, b *Type) bool {
	if a.Kind == Enum && b.Kind != Enum && b.IsInteger() && a.Record.Int != nil {
		return a.Record.Int.Kind == b.Kind
	}
	if b.Kind == Enum && a.Kind != Enum && a.IsInteger() && b.Record.Int != nil {
		return b.Record.Int.Kind == a.Kind
	}
	if a.Kind != b.Kind || a.Name != b.Name || a.Width != b.Width {
		return false
	}
	switch a.Kind {
	case Pointer, Complex:
		return Compatible(a.Elem, b.Elem)
	case Vector:
		return a.Len == b.Len && Compatible(a.Elem, b.Elem)
	case Array:
		return (a.Len == b.Len || a.Len < 0 || b.Len < 0) && Compatible(a.Elem, b.Elem)
	case Struct, Union, Enum:
		return a.Record == b.Record
	case Function:
		return functionsCompatible(a, b)
	default:
		return true
	}
}

func functionsCompatible(a, b *Type) bool {
	if !Compatible(a.Elem.resultType(), b.Elem.resultType()) {
		return false
	}
	if a.OldStyle || b.OldStyle {
		if a.OldStyle && b.OldStyle {
			return true
		}
		f := a
		if a.OldStyle {
			f = b
		}
		if f.Variadic {
			return false
		}
		for _, p := range f.Params {
			if p.IsArithmetic() && !CompatibleUnqualified(p, defaultPromoted(p)) {
				return false
			}
		}
		return true
	}
	if len(a.Params) != len(b.Params) || a.Variadic != b.Variadic {
		return false
	}
	for i := range a.Params {
		if !CompatibleUnqualified(a.Params[i], b.Params[i]) {
			return false
		}
	}
	return true
}

// resultType returns the type of a function's result: qualifiers do not matter there.
func (t *Type) resultType() *Type {
	if t.Kind == Void {
		return t.Unqualified()
	}
	if t.Qual != 0 {
		return t.Unqualified()
	}
	return t
}

func defaultPromoted(t *Type) *Type {
	if t.Kind == Float && !t.Extended {
		return Of(Double)
	}
	if t.IsInteger() {
		return t.Promote()
	}
	return t
}

// DefaultPromoted returns the type of an argument for which a function has no parameter.
func DefaultPromoted(t *Type) *Type { return defaultPromoted(t) }

// Composite returns the type that two compatible declarations have together.
func Composite(a, b *Type) *Type {
	if a == b {
		return a
	}
	switch {
	case a.Kind == Array && b.Kind == Array:
		elem := Composite(a.Elem, b.Elem)
		if a.Len == Incomplete || a.Len == Variable && b.Len >= 0 {
			a = b
		}
		return a.of(elem)
	case a.Kind == Pointer && b.Kind == Pointer:
		return a.of(Composite(a.Elem, b.Elem))
	case a.Kind == Function && b.Kind == Function:
		return compositeFunction(a, b)
	case a.Kind == Enum && b.Kind != Enum:
		return a
	default:
		return a
	}
}

// of returns the array or pointer with other elements.
func (t *Type) of(elem *Type) *Type {
	if elem == t.Elem {
		return t
	}
	c := *t
	c.Elem = elem
	return &c
}

func compositeFunction(a, b *Type) *Type {
	c := *a
	if a.OldStyle && !b.OldStyle {
		c.Params, c.OldStyle, c.Variadic = b.Params, false, b.Variadic
	} else if !b.OldStyle && len(a.Params) == len(b.Params) {
		c.Params = make([]*Type, len(a.Params))
		for i := range c.Params {
			c.Params[i] = Composite(a.Params[i], b.Params[i])
		}
	}
	c.Elem = Composite(a.Elem, b.Elem)
	c.NoReturn = a.NoReturn || b.NoReturn
	return &c
}
