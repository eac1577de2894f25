package translate

// The diagnostic codes. They are stable: docs/languages/c.md lists them.
const (
	codeLink     = "C0003" // two definitions of one name
	codeNoMain   = "C0004" // a program without main
	codeMainArgs = "C0005" // warning: main is run without arguments

	codeFloat     = "C0101" // floating point
	codeBitField  = "C0102" // bit-fields whose layout is not supported
	codeVLA       = "C0103" // arrays of variable length, of more than one dimension of it
	CodeVariadic  = "C0104" // variable arguments where there are none
	codeJump      = "C0106" // computed goto, labels as values
	CodeExpr      = "C0109" // another expression that is not supported
	codeStatement = "C0110" // another statement that is not supported
	codeAggregate = "C0111" // a struct where only a scalar is supported
	CodeAtomic    = "C0113" // an atomic operation that is not supported
	codeLarge     = "C0114" // too large an object
	codeAttribute = "C0115" // an attribute that changes what the program means

	codeInit = "C0201" // an initialiser that is not constant or not supported

	CodeExtern   = "C0301" // a function without a body that is not modelled
	CodeArgument = "C0302" // an argument a modelled function is not supported with
	CodeResult   = "C0303" // the result of a function that is modelled without one
	codeAsm      = "C0304" // inline assembly that is not known
	codeSection  = "C0305" // atomic sections that nest or do not match
	CodeNondet   = "C0306" // an input that is no integer, or has no value in its range
	codeObject   = "C0307" // an object that is declared and never defined

	CodeAttr    = "C0801" // warning: attributes of a thread are ignored
	CodeClock   = "C0803" // warning: the clock stands still
	CodeAlign   = "C0804" // warning: blocks are not aligned to more than 16 bytes
	codeForeign = "C0805" // warning: a barrier of another processor
	codeUnused  = "C0820" // warning: an annotation in code that never runs
)

// RangeWarning is the code of a warning that answers depend on.
const RangeWarning = "C0806" // warning: an input takes the values of a declared range only

// The limits.
const (
	maxObject = 1 << 20 // bytes of one object
	maxLeaves = 4096    // scalars an initialiser or an assignment writes one by one
)
