package translate

// The diagnostic codes. They are stable: docs/languages/c.md lists them.
const (
	codeLink     = "C0003" // two definitions of one name, or two declarations that differ
	codeNoMain   = "C0004" // a program without main
	codeMainArgs = "C0005" // warning: main is run without arguments

	codeFloat     = "C0101" // floating point of a type, or at a position, that is not supported
	codeBitField  = "C0102" // bit-fields of __int128
	codeVLA       = "C0103" // a variable-length array where it is not supported
	CodeVariadic  = "C0104" // va_start in a function without variable arguments
	codeJump      = "C0106" // a computed goto out of the scope of a variable with the attribute cleanup
	CodeExpr      = "C0109" // an expression that is not supported here
	codeStatement = "C0110" // a statement that is not supported here
	codeAggregate = "C0111" // a struct where only a scalar is supported
	CodeAtomic    = "C0113" // an atomic operation that is not supported
	codeLarge     = "C0114" // an object or initialiser that is too large
	codeAttribute = "C0115" // an attribute that changes the meaning of the program

	codeInit = "C0201" // an initialiser that is not supported

	CodeExtern   = "C0301" // a function without a body that is not modelled
	CodeArgument = "C0302" // a call of a modelled function with an unsupported argument
	CodeResult   = "C0303" // the result of a function that is modelled without a result
	codeAsm      = "C0304" // inline assembly that is not supported
	codeSection  = "C0305" // atomic sections that nest or do not match
	CodeNondet   = "C0306" // an input that is not an integer, or has no value in the given range
	codeObject   = "C0307" // an object that is declared but never defined

	CodeAttr    = "C0801" // warning: the attributes of a thread are ignored
	CodeClock   = "C0803" // a time of a clock that is not tried
	codeForeign = "C0805" // warning: a barrier instruction of another processor
	CodeEnv     = "C0807" // warning: the environment is empty
	codeUnused  = "C0820" // warning: an annotation in code that never runs
)

// RangeWarning is the code of a warning that answers depend on.
const RangeWarning = "C0806" // warning: only values from the given range are tried for an input

// The limits.
const (
	maxObject = 1 << 20 // bytes of one object
	maxLeaves = 4096    // scalars an initialiser or an assignment writes one by one
)
