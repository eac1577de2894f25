package trencher

// The diagnostic codes of Trencher's language; docs/languages/trencher.md lists
// them. What both languages can get wrong has the codes of codes.go.
const (
	codeTSyntax   = "FP1101" // a syntax error
	codeTUnclosed = "FP1102" // a thread without 'end'
	codeTNumber   = "FP1103" // a malformed or too large number
	codeTThread   = "FP1104" // two threads with the same name
	codeTInitial  = "FP1105" // no initial state, or two
	codeTRegister = "FP1106" // a number or operator where a register is needed
	codeTMemory   = "FP1107" // a wrong memory_size

	codeTBlocked = "FP1151" // warning: a lock or unlock that always blocks
	codeTHeld    = "FP1152" // warning: a thread can stop with the memory locked
	codeTDead    = "FP1153" // warning: states that cannot be reached
	codeTUnset   = "FP1154" // warning: a register that is read but never written
)
