package statement

// The diagnostic codes. They are stable: docs/languages/fp.md lists them.
const (
	CodeChar    = "FP0001" // a character the language has no use for
	CodeNumber  = "FP0002" // a malformed or too large number
	codeString  = "FP0003" // a string without its end
	codeComment = "FP0004" // a comment without its end

	CodeSyntax    = "FP0101" // something else was expected
	codeUnclosed  = "FP0102" // a block without its end
	codeTruncated = "FP0103" // the file ends inside a statement
	CodeReserved  = "FP0104" // a reserved word as a name
	CodeDepth     = "FP0105" // too deep nesting

	CodeUndeclared    = "FP0201" // an undeclared name
	CodeRedeclared    = "FP0202" // a name declared twice
	CodeLabel         = "FP0203" // an unknown label
	codeNotRegister   = "FP0204" // a register is needed
	CodeNotShared     = "FP0205" // a shared variable is needed
	codeNeedsIndex    = "FP0206" // an array without an index
	codeNoIndex       = "FP0207" // an index on what is no array
	codeThread        = "FP0208" // an unknown thread
	codeCondRegister  = "FP0209" // an unknown register in a condition
	codeNotAssignable = "FP0210" // an assignment to a constant

	codeNotConstant = "FP0301" // a constant is needed
	codeDivZero     = "FP0302" // division by the constant zero
	codeBounds      = "FP0303" // a constant index out of bounds
	codeCell        = "FP0304" // a cell number that does not fit
	CodeSize        = "FP0305" // a size that is not positive
	CodeInit        = "FP0306" // a wrong initialiser
	codeRange       = "FP0307" // a range without values

	CodeMemory   = "FP0401" // too much shared memory
	CodeCount    = "FP0402" // an impossible number of instances
	CodeTooLarge = "FP0403" // too large a program

	codeSection     = "FP0501" // a jump into or out of an atomic section
	codeNested      = "FP0502" // an atomic section inside another
	codeOutsideLoop = "FP0503" // break or continue outside a loop
	codeFallThrough = "FP0504" // falling into a repeated label
	codeAwait       = "FP0505" // await must read one cell
	codeUnbounded   = "FP0506" // a havoc without bounds
	codeConstraint  = "FP0507" // a constraint that cannot be one step
	codeAddress     = "FP0508" // '&' of a cell that is no cell
	codeIndexOfMany = "FP0509" // the index of a template with any number of threads

	CodeTwoFinals = "FP0601" // a second final condition
	codeCondition = "FP0602" // not allowed in a condition
	CodeGoalTwice = "FP0603" // one thread twice in a goal
	CodeInvariant = "FP0604" // an invariant where none can stand

	CodeNoThread = "FP0701" // a program without threads

	CodeNoInstances = "FP0801" // warning: a template with no instances
	codeExpectTwice = "FP0802" // warning: a second expect comment
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
