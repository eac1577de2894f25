package pipeline

import (
	"context"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Show prints a program's representation.
func Show(in Input, form ShowForm, opt Options) (text string, diags []verdict.Diagnostic, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)
	p := load(context.Background(), in, opt)
	if !p.ok() {
		return "", p.diags, nil
	}
	prog := p.ir
	if form == ShowFlat {
		stage = "passes"
		if prog = p.flat(opt); prog == nil {
			return "", p.diags, nil
		}
	}
	switch form {
	case ShowStructured, ShowFlat:
		return ir.Print(prog), p.diags, nil
	case ShowDot:
		return ir.Dot(prog), p.diags, nil
	default:
		return "", nil, fmt.Errorf("unknown form %d", form)
	}
}
