package types

// Kind is the kind of a type.
type Kind uint8

// The kinds. The integers stand in the order of their ranks, signed before unsigned.
const (
	Unset Kind = iota
	Error      // of an expression with a mistake that was reported
	Void
	Bool
	Char // signed; a kind of its own
	SChar
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	LongLong
	ULongLong
	Int128
	UInt128
	Float16
	Float
	Double
	LongDouble
	Float128
	Complex // Elem is the type of the parts
	Vector  // of Len elements
	Pointer
	Array
	Function
	Struct
	Union
	Enum
)

var kindNames = [...]string{
	Unset: "unset", Error: "error", Void: "void", Bool: "_Bool", Char: "char", SChar: "signed char", UChar: "unsigned char", Short: "short", UShort: "unsigned short",
	Int: "int", UInt: "unsigned int", Long: "long", ULong: "unsigned long", LongLong: "long long", ULongLong: "unsigned long long",
	Int128: "__int128", UInt128: "unsigned __int128", Float16: "_Float16", Float: "float", Double: "double", LongDouble: "long double", Float128: "_Float128",
	Complex: "complex", Vector: "vector", Pointer: "pointer", Array: "array", Function: "function", Struct: "struct", Union: "union", Enum: "enum",
}

func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		panic("BUG: unknown kind of type")
	}
	return kindNames[k]
}

// Qualifiers of a type.
type Qualifiers uint8

// The qualifiers.
const (
	Const Qualifiers = 1 << iota
	Volatile
	Restrict
	Atomic
)

// Type is a type.
type Type struct {
	Kind     Kind
	Qual     Qualifiers
	Variadic bool // of a function
	OldStyle bool // of a function: nothing is known about its parameters
	NoReturn bool // of a function
	Unsigned bool // of char: it has no negative values
	Extended bool // a type of its own that looks like Kind: _Float32, _Float64, _Float32x, _Float64x
	// Len is the number of elements of an array or a vector: Incomplete, Variable, or from 0 on.
	Len     int64
	Elem    *Type   // of a pointer, an array, a vector, a complex type; of a function: its result
	Params  []*Type // of a function, after adjustment
	Record  *Record // of a struct, union or enum
	Name    string  // of an extended type
	Typedef string  // the name that a typedef gives it, "": none
	// Aligned is an alignment that an attribute gives, 0: none.
	Aligned int64
	// Width is the number of bits of the values of a wide bit-field, which gcc computes with in
	// that width; 0: that of the kind.
	Width  int16
	Length any // of a variable array: the expression for its length, of the parser
}

// Lengths of arrays that are no numbers.
const (
	Incomplete = -1 // [] or an incomplete element
	Variable   = -2 // known when the program runs
)

// Record is a struct, a union or an enum.
type Record struct {
	Tag         string // "" if it has none
	Complete    bool
	Packed      bool
	Transparent bool // a transparent union
	Union       bool
	Fields      []Field
	// Int is the integer type of an enum. Fixed says that the program names it, Listed that the constants were read.
	Int           *Type
	Fixed, Listed bool
	ByteSize      int64
	Alignment     int64
	Flexible      bool  // the last member is an array without a length
	VarSize       bool  // a member has a size that is known when the program runs
	Number        int32 // tells records of one program apart
}

// Field is a member of a struct or union.
type Field struct {
	Name   string // "": an unnamed bit-field, or a struct or union whose members count
	ID     uint32 // the name of the parser
	Type   *Type
	Offset int64 // in bytes; of a bit-field: of the unit of its type that holds it
	// Bits is the width of a bit-field, -1 for other members. BitOffset is where it begins in the struct.
	Bits      int64
	BitOffset int64
	Packed    bool
	Aligned   int64   // an alignment that an attribute or _Alignas gives, 0: none
	Of        *Record // that it is a member of
	Alignment int64   // that it has in its struct
	Tok       int32
}

// IsBitField reports whether a member is a bit-field.
func (f *Field) IsBitField() bool { return f.Bits >= 0 }

// Basic types, which have no parts.
var basic = func() (t [Float128 + 1]*Type) {
	for k := Error; k <= Float128; k++ {
		t[k] = &Type{Kind: k}
	}
	return t
}()

// Of returns the basic type of a kind.
func Of(k Kind) *Type { return basic[k] }

// PointerTo returns a pointer type.
func PointerTo(t *Type) *Type { return &Type{Kind: Pointer, Elem: t} }

// ArrayOf returns an array type.
func ArrayOf(t *Type, n int64) *Type { return &Type{Kind: Array, Elem: t, Len: n} }

// FunctionOf returns a function type.
func FunctionOf(result *Type, params []*Type, variadic bool) *Type {
	return &Type{Kind: Function, Elem: result, Params: params, Variadic: variadic}
}

// ComplexOf returns a complex type.
func ComplexOf(t *Type) *Type { return &Type{Kind: Complex, Elem: t} }

// WithQual returns a type with more qualifiers. An array has the qualifiers of its elements.
func (t *Type) WithQual(q Qualifiers) *Type {
	if t.Qual|q == t.Qual || t.Kind == Error {
		return t
	}
	u := *t
	if t.Kind == Array {
		u.Elem = t.Elem.WithQual(q)
		return &u
	}
	u.Qual |= q
	return &u
}

// Unqualified returns a type without its qualifiers.
func (t *Type) Unqualified() *Type {
	if t.Kind == Array && t.Elem.quals() != 0 {
		u := *t
		u.Elem = t.Elem.Unqualified()
		return &u
	}
	if t.Qual == 0 {
		return t
	}
	if t.Kind <= Float128 && t.Aligned == 0 && !t.Extended && t.Width == 0 && !t.Unsigned {
		return basic[t.Kind]
	}
	u := *t
	u.Qual = 0
	return &u
}

// quals returns the qualifiers of a type, or of the elements of an array.
func (t *Type) quals() Qualifiers {
	for t.Kind == Array {
		t = t.Elem
	}
	return t.Qual
}

// Quals returns the qualifiers of a type, or of the elements of an array.
func (t *Type) Quals() Qualifiers { return t.quals() }

// IsInteger reports whether a type is an integer, an enum or _Bool.
func (t *Type) IsInteger() bool { return t.Kind >= Bool && t.Kind <= UInt128 || t.Kind == Enum }

// IsFloat reports whether a type is a real floating type.
func (t *Type) IsFloat() bool { return t.Kind >= Float16 && t.Kind <= Float128 }

// IsArithmetic reports whether a type is a number.
func (t *Type) IsArithmetic() bool { return t.IsInteger() || t.IsFloat() || t.Kind == Complex }

// IsReal reports whether a type is a number that is not complex.
func (t *Type) IsReal() bool { return t.IsInteger() || t.IsFloat() }

// IsScalar reports whether a type is a number or a pointer.
func (t *Type) IsScalar() bool { return t.IsArithmetic() || t.Kind == Pointer }

// IsRecord reports whether a type is a struct or a union.
func (t *Type) IsRecord() bool { return t.Kind == Struct || t.Kind == Union }

// IsObject reports whether values of the type have a size, perhaps one that is not known yet.
func (t *Type) IsObject() bool { return t.Kind != Void && t.Kind != Function }

// IsVariable reports whether the size of a type is known only when the program runs.
func (t *Type) IsVariable() bool {
	switch t.Kind {
	case Array:
		return t.Len == Variable || t.Elem.IsVariable()
	case Struct, Union:
		return t.Record.VarSize
	default:
		return false
	}
}

// IsModified reports whether a type has a variable array in it, perhaps after a pointer.
func (t *Type) IsModified() bool {
	for t != nil && (t.Kind == Array || t.Kind == Pointer) {
		if t.Len == Variable && t.Kind == Array {
			return true
		}
		t = t.Elem
	}
	return false
}

// IsComplete reports whether the size of a type is known, at least when the program runs.
func (t *Type) IsComplete() bool {
	switch t.Kind {
	case Void, Function:
		return false
	case Array:
		return t.Len != Incomplete && t.Elem.IsComplete()
	case Struct, Union, Enum:
		return t.Record.Complete
	default:
		return true
	}
}

// IsUnsigned reports whether an integer type has no negative values.
func (t *Type) IsUnsigned() bool {
	switch t.Kind {
	case Bool, UChar, UShort, UInt, ULong, ULongLong, UInt128:
		return true
	case Char:
		return t.Unsigned
	case Enum:
		return t.Record.Int != nil && t.Record.Int.IsUnsigned()
	default:
		return false
	}
}

// Bits returns the number of bits of an integer type.
func (t *Type) Bits() int {
	switch {
	case t.Kind == Bool:
		return 1
	case t.Width != 0:
		return int(t.Width)
	}
	return int(t.Size()) * 8
}

// IsIncomplete reports whether the size of a type is not known.
func (t *Type) IsIncomplete() bool { return !t.IsComplete() }
