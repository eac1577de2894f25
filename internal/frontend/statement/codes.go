package statement

// The diagnostic codes. They are stable: docs/languages/fp.md lists them.
const (
	CodeChar    = "FP0001" // an unexpected character
	CodeNumber  = "FP0002" // a malformed or too large number
	codeString  = "FP0003" // a string without a closing quote
	codeComment = "FP0004" // a comment without an end

	CodeSyntax    = "FP0101" // a syntax error
	codeUnclosed  = "FP0102" // a block without an end
	codeTruncated = "FP0103" // the file ends inside a statement
	CodeReserved  = "FP0104" // a reserved word used as a name
	CodeDepth     = "FP0105" // nesting that is too deep

	CodeUndeclared    = "FP0201" // an undeclared name
	CodeRedeclared    = "FP0202" // a name that is declared twice
	CodeLabel         = "FP0203" // an unknown label
	codeNotRegister   = "FP0204" // a register is needed here
	CodeNotShared     = "FP0205" // a shared variable is needed here
	codeNeedsIndex    = "FP0206" // an array without an index
	codeNoIndex       = "FP0207" // an index on a name that is not an array
	codeThread        = "FP0208" // an unknown thread
	codeCondRegister  = "FP0209" // an unknown register in a condition
	codeNotAssignable = "FP0210" // an assignment to a constant

	codeNotConstant = "FP0301" // a constant is needed here
	codeDivZero     = "FP0302" // a division by the constant zero
	codeBounds      = "FP0303" // a constant index that is out of bounds
	codeCell        = "FP0304" // a cell number that is too large or too small
	CodeSize        = "FP0305" // a size that is not positive
	CodeInit        = "FP0306" // an initialiser that does not fit the variable
	codeRange       = "FP0307" // a range without values

	CodeMemory   = "FP0401" // too much shared memory
	CodeCount    = "FP0402" // a number of instances that is not possible
	CodeTooLarge = "FP0403" // a program that is too large

	codeSection     = "FP0501" // a jump into or out of an atomic section
	codeNested      = "FP0502" // an atomic section inside another
	codeOutsideLoop = "FP0503" // break or continue outside a loop
	codeFallThrough = "FP0504" // a statement that runs on into a repeated label
	codeAwait       = "FP0505" // an await that does not read exactly one shared variable
	codeUnbounded   = "FP0506" // a havoc without bounds
	codeConstraint  = "FP0507" // a constraint that cannot be tested in one step
	codeAddress     = "FP0508" // the address of a variable that does not have 8 bytes
	codeIndexOfMany = "FP0509" // the index or an instance of a template with any number of threads

	codeOrder = "FP0510" // a memory order that the operation cannot have

	CodeTwoFinals = "FP0601" // a second final condition
	codeCondition = "FP0602" // an operation that is not allowed in a condition
	CodeGoalTwice = "FP0603" // a thread that a goal names twice
	CodeInvariant = "FP0604" // an invariant or ghost code at a position where none can be

	CodeNoThread = "FP0701" // a program without threads

	CodeNoInstances = "FP0801" // warning: a template with no instances
	codeExpectTwice = "FP0802" // warning: a second expect comment, which is ignored
)

// The limits.
const (
	MaxDepth     = 1000    // nested statements, and height of an expression
	MaxMemory    = 1 << 20 // bytes of declared variables
	MaxInstances = 64      // threads of one template
	maxEdges     = 1 << 20 // edges of the program
	MaxNodes     = 1 << 21 // nodes of the syntax tree
	maxWindow    = 4096    // cells of mem that states keep flat
)
