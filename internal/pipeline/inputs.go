package pipeline

import (
	"fmt"

	"fencepost/internal/diag"
	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Inputs. An input of a wide type has more values than can be tried one by one. Of
// the engines only bmc takes it, where an input is a free variable; whatever needs
// another engine is refused, with the place of the input and advice.

// unlistedInputs refuses inputs of too many values for something that tries them.
func (p *program) unlistedInputs(flat *ir.Program, name string) (verdict.Diagnostic, bool) {
	err := engine.TriesInputs(name, flat)
	if err == nil {
		return verdict.Diagnostic{}, false
	}
	return p.unsupported(err), true
}

// refusedInputs says why the questions of check cannot be answered about a program
// with inputs of too many values: because of how they are asked, or because bmc does
// not take the program for another reason.
func (p *program) refusedInputs(opt Options, flat *ir.Program, model memory.Model) (verdict.Diagnostic, bool) {
	d, refused := p.unlistedInputs(flat, "this question")
	switch {
	case !refused || opt.Engine != "":
		return verdict.Diagnostic{}, false
	case opt.Robustness || opt.Races || opt.Finals || opt.KeepGoing || opt.NoReduction:
		return d, true
	}
	err := bmc.Engine.Supports(p.task(flat, model, opt))
	if err != nil {
		d.Message = "this input has too many values to try them one by one"
		d.Notes = []string{
			"declare which it takes with --nondet-range LO..HI, or use a smaller type",
			fmt.Sprintf("bmc, for which inputs are free, does not take the program: %v", err),
		}
	}
	return d, err != nil
}

// excerpt is the line of the source that a diagnostic is about.
func (p *program) excerpt(at verdict.Pos) string {
	f := p.files[at.File]
	if f == nil || at.Line == 0 {
		return ""
	}
	span := source.Span{Pos: source.Pos{File: at.File, Line: at.Line, Col: at.Col}, EndLine: at.EndLine, EndCol: at.EndCol}
	return diag.Excerpt(f, diag.Diagnostic{Span: span})
}
