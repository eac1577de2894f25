package undefined

// Pass is the name of the pass.
const Pass = "undefined"

// Options are the options of the pass.
type Options struct {
	// Any says that a value that was never written is any value; else it is undefined. Range, if not empty, is the least and
	// the largest of them.
	Any   bool
	Range []int64
	// Refuse makes decisions by undefined values unsupported: calls have left the values in registers.
	Refuse bool
	// Stop, if not nil, is called now and then. An error that it returns ends the pass.
	Stop func() error
}

// CodeAny is the code of uninitialised memory that cannot be given any value.
const CodeAny = "FP0942"
