package elf

// The codes of diagnostics.
const (
	codeFile          = "X0101" // a file that cannot be read
	codeMain          = "X0102" // no main
	codeStart         = "X0103" // functions that run before or after main
	codeUninitialised = "X0104" // memory that was never written
	codeInstruction   = "X0201" // an instruction without a translation
	codeExtern        = "X0202" // an unknown function or variable
	codeFlow          = "X0203" // a jump, call or use of the stack without a translation
)
