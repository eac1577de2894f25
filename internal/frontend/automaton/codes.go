package automaton

// The diagnostic codes. They are stable: docs/languages/fp.md lists them.
const (
	codeChar    = "FP0001" // a character the language has no use for
	codeNumber  = "FP0002" // a malformed or too large number
	codeString  = "FP0003" // a string without its end
	codeComment = "FP0004" // a comment without its end

	codeSyntax    = "FP0101" // something else was expected
	codeUnclosed  = "FP0102" // a block without its end
	codeTruncated = "FP0103" // the file ends inside a statement
	codeReserved  = "FP0104" // a reserved word as a name
	codeDepth     = "FP0105" // too deep nesting

	codeUndeclared    = "FP0201" // an undeclared name
	codeRedeclared    = "FP0202" // a name declared twice
	codeLabel         = "FP0203" // an unknown label
	codeNotRegister   = "FP0204" // a register is needed
	codeNotShared     = "FP0205" // a shared place is needed
	codeNeedsIndex    = "FP0206" // an array without an index
	codeNoIndex       = "FP0207" // an index on what is no array
	codeThread        = "FP0208" // an unknown thread
	codeCondRegister  = "FP0209" // an unknown register in a condition
	codeNotAssignable = "FP0210" // an assignment to a constant

	codeNotConstant = "FP0301" // a constant is needed
	codeDivZero     = "FP0302" // division by the constant zero
	codeBounds      = "FP0303" // a constant index out of bounds
	codeCell        = "FP0304" // a cell number that does not fit
	codeSize        = "FP0305" // a size that is not positive
	codeInit        = "FP0306" // a wrong initialiser
	codeRange       = "FP0307" // a range without values

	codeMemory   = "FP0401" // too much shared memory
	codeCount    = "FP0402" // an impossible number of instances
	codeTooLarge = "FP0403" // too large a program

	codeSection     = "FP0501" // a jump into or out of an atomic section
	codeNested      = "FP0502" // an atomic section inside another
	codeOutsideLoop = "FP0503" // break or continue outside a loop
	codeFallThrough = "FP0504" // falling into a repeated label
	codeAwait       = "FP0505" // await must read one place
	codeUnbounded   = "FP0506" // a havoc without bounds
	codeConstraint  = "FP0507" // a constraint that cannot be one step
	codeAddress     = "FP0508" // '&' of a place that is no cell
	codeIndexOfMany = "FP0509" // the index of a template with any number of threads

	codeTwoFinals = "FP0601" // a second final condition
	codeCondition = "FP0602" // not allowed in a condition
	codeGoalTwice = "FP0603" // one thread twice in a goal
	codeInvariant = "FP0604" // an invariant where none can stand

	codeNoThread = "FP0701" // a program without threads

	codeNoInstances = "FP0801" // warning: a template with no instances
	codeExpectTwice = "FP0802" // warning: a second expect comment
)

// The limits.
const (
	maxDepth     = 1000    // nested statements, and height of an expression
	maxMemory    = 1 << 20 // bytes of declared variables
	maxInstances = 64      // threads of one template
	maxEdges     = 1 << 20 // edges of the program
	maxNodes     = 1 << 21 // nodes of the syntax tree
	maxWindow    = 4096    // cells of mem that states keep flat
)
