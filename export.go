package fencepost

import (
	"cmp"
	"context"

	"fencepost/internal/question/export"
)

// Form is a form in which Show prints a program.
type Form string

// The forms.
const (
	FormStructured Form = "structured" // as the front end makes it, with calls
	FormFlat       Form = "flat"       // as engines take it, one automaton per thread
	FormDot        Form = "dot"        // structured, as a graph for Graphviz
)

// ShowOptions are the options of Show.
type ShowOptions struct {
	Options
	Form Form // "": FormStructured
	// Attack is the number of an attack on robustness, from 1: instead of the program Show prints the program
	// whose SC executions decide whether the attack is feasible, after a list of all attacks. 0: none.
	Attack int
}

// Show prints a program's representation.
func Show(ctx context.Context, in Input, opt ShowOptions) (TextAnswer, error) {
	if opt.Attack > 0 {
		text, diags, err := export.ShowInstrumented(ctx, in.internal(), opt.Attack, opt.Options.internal())
		return TextAnswer{Text: text, Diagnostics: diags}, public(err)
	}
	text, diags, err := export.Show(ctx, in.internal(), export.Form(cmp.Or(opt.Form, FormStructured)), opt.Options.internal())
	return TextAnswer{Text: text, Diagnostics: diags}, public(err)
}

// ExportFormat is a language of another tool.
type ExportFormat string

// The formats.
const (
	ExportPromela ExportFormat = "promela" // of the model checker SPIN
	ExportPNML    ExportFormat = "pnml"    // the exchange format of Petri nets, for programs of any number of threads
)

// ExportOptions are the options of Export.
type ExportOptions struct {
	Options
	Format   ExportFormat // "": ExportPromela
	Model    Model        // SC or TSO; "": TSO
	Deadlock bool         // also ask for deadlocks
	// Attack is the number of an attack, from 1: instead of the program its instrumented program is written,
	// whose model is SC. 0: none.
	Attack int
	Domain *Domain // with ExportPNML: restricts the values of memory
}

// Export writes the program and its questions in the language of another tool.
func Export(ctx context.Context, in Input, opt ExportOptions) (TextAnswer, error) {
	text, diags, err := export.Run(ctx, in.internal(), export.Options{
		Options: opt.Options.internal(), Deadlock: opt.Deadlock, Format: export.Format(cmp.Or(opt.Format, ExportPromela)),
		Model: string(cmp.Or(opt.Model, TSO)), Attack: opt.Attack, Domain: opt.Domain.internal(),
	})
	return TextAnswer{Text: text, Diagnostics: diags}, public(err)
}
