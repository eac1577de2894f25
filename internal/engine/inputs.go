package engine

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// CodeInputs is the code of an input whose values cannot be tried one by one.
const CodeInputs = "FP0915"

// TriesInputs is why an engine that tries the values of inputs one by one does not
// take a program, or nil.
func TriesInputs(name string, p *ir.Program) error {
	e := memory.Unlisted(p)
	if e == nil {
		return nil
	}
	return &Unsupported{
		Pos: Pos(e), Code: CodeInputs,
		What:   fmt.Sprintf("this input has too many values for %s, which tries them one by one", name),
		Advice: "restrict its values with --nondet-range LO..HI, use a smaller type, or use check --engine bmc, which can take any input",
	}
}
