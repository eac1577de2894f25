package litmus

// The diagnostic codes. They are stable: docs/languages/litmus.md lists them.
const (
	codeChar    = "LT0001" // a character the format has no use for
	codeNumber  = "LT0002" // a malformed or too large number
	codeComment = "LT0003" // a comment or string without its end

	codeHeader  = "LT0101" // a malformed first line
	codeArch    = "LT0102" // an architecture that is not supported
	codeMeta    = "LT0103" // neither Key=value nor the initial state
	codeInit    = "LT0104" // a malformed initial state
	codeColumns = "LT0105" // a malformed head row or a row with too many or too few columns
	codeCell    = "LT0106" // a malformed instruction
	codeCond    = "LT0107" // a malformed condition
	codeTail    = "LT0108" // something else than a condition after the instructions
	codeDepth   = "LT0109" // too deep nesting

	codeInstruction = "LT0201" // an instruction that is not supported
	codeOperands    = "LT0202" // operands the instruction does not take
	codeRegister    = "LT0203" // an unknown register
	codeWidth       = "LT0204" // operands of different widths
	codeLock        = "LT0205" // a lock prefix where none can stand
	codeLabel       = "LT0206" // an unknown label
	codeLabelTwice  = "LT0207" // a label defined twice
	codeScale       = "LT0208" // a malformed address

	codeType     = "LT0301" // an unknown type
	codeTwice    = "LT0302" // a variable initialised twice
	codeBounds   = "LT0303" // an access or index outside a location
	codeArray    = "LT0304" // a wrong array or initialiser
	codeProc     = "LT0305" // an unknown thread
	codeTwoConds = "LT0306" // a second condition, filter or list of locations

	codeTooLarge = "LT0401" // too large a test
	codeFeature  = "LT0402" // a feature of the format that is not supported

	codeUnused = "LT0501" // warning: a location no instruction mentions
)

// The limits.
const (
	maxThreads      = 64
	maxInstructions = 1 << 16
	maxMemory       = 1 << 20 // bytes of all locations
	maxDepth        = 500     // nested parentheses of a condition
	maxAtoms        = 4096    // comparisons in conditions
	maxElements     = 1024    // of an array
)
