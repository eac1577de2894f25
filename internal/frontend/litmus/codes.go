package litmus

// The diagnostic codes. They are stable: docs/languages/litmus.md lists them.
const (
	codeChar    = "LT0001" // an unexpected character
	codeNumber  = "LT0002" // a malformed or too large number
	codeComment = "LT0003" // a comment or string without an end

	codeHeader  = "LT0101" // a malformed first line
	codeArch    = "LT0102" // an architecture that is not supported
	codeMeta    = "LT0103" // a line that is neither Key=value nor the initial state
	codeInit    = "LT0104" // a malformed initial state
	codeColumns = "LT0105" // a wrong row of thread names, or a row with too many or too few columns
	codeCell    = "LT0106" // a malformed instruction
	codeCond    = "LT0107" // a malformed condition
	codeTail    = "LT0108" // something other than a condition after the instructions
	codeDepth   = "LT0109" // nesting that is too deep

	codeInstruction = "LT0201" // an instruction that is not supported
	codeOperands    = "LT0202" // operands that the instruction does not take
	codeRegister    = "LT0203" // an unknown register
	codeWidth       = "LT0204" // operands of different widths
	codeLock        = "LT0205" // a lock prefix that the instruction cannot have
	codeLabel       = "LT0206" // an unknown label
	codeLabelTwice  = "LT0207" // a label that is defined twice
	codeScale       = "LT0208" // a malformed address

	codeType     = "LT0301" // an unknown type
	codeTwice    = "LT0302" // a variable or register that is initialised twice
	codeBounds   = "LT0303" // an access or index outside a variable
	codeArray    = "LT0304" // an array, or a value for it, of the wrong size
	codeProc     = "LT0305" // an unknown thread
	codeTwoConds = "LT0306" // a second condition, filter or list of locations

	codeTooLarge = "LT0401" // a test that is too large
	codeFeature  = "LT0402" // a feature of the format that is not supported

	codeUnused = "LT0501" // warning: a condition names a variable that nothing else mentions
)

// NeedsWhole is the code of the error about what only the whole build reads.
const NeedsWhole = "FP0925"

// The limits.
const (
	maxThreads      = 64
	maxInstructions = 1 << 16
	maxMemory       = 1 << 20 // bytes of all locations
	maxDepth        = 500     // nested parentheses of a condition
	maxAtoms        = 4096    // comparisons in conditions
	maxElements     = 1024    // of an array
)
