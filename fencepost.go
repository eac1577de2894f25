// Package fencepost answers questions about concurrent programs on processors
// that buffer stores. It is the API the command line is built on.
//
// Mistakes in the input come back as diagnostics, not as errors; an error means
// that fencepost itself failed.
package fencepost

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// Version is the version of the tool.
const Version = "0.1.0-dev"

// Input is one source file. The language follows the name's extension unless
// Options.Lang says otherwise.
type Input = pipeline.Input

// Options are the limits and switches of a run. The zero value is not useful:
// start from Defaults.
type Options = pipeline.Options

// Progress is how far a run has come.
type Progress = pipeline.Progress

// Defaults are the documented defaults: 60 s, buffers of 8, one worker per core. There
// is no memory limit; the command line sets one.
func Defaults() Options { return pipeline.Defaults() }

// Answer is what every command returns.
type Answer = pipeline.Answer

// Check answers whether the assertions, goals and final conditions of a program
// hold under each of the models (sc, tso, pso): one result per model.
func Check(ctx context.Context, in Input, models []string, opt Options) (Answer, error) {
	return pipeline.Check(ctx, in, models, opt)
}

// Robust answers whether a program is robust against TSO: whether delaying stores
// gives it no execution that is new, judged by happens-before. The result's
// verdict is Safe for robust and Unsafe for not; Attacks say how.
func Robust(ctx context.Context, in Input, opt Options) (Answer, error) {
	return pipeline.Robust(ctx, in, opt)
}

// Traces explores one execution for every Shasha-Snir trace of a program under a
// model. Each, if not nil, is called with every complete one, in order; without it
// they are only counted.
func Traces(ctx context.Context, in Input, model string, opt Options, each func(*verdict.Trace)) (verdict.TraceSet, []verdict.Diagnostic, error) {
	return pipeline.Traces(ctx, in, model, opt, each)
}

// ShowForm says in which form Show prints a program.
type ShowForm = pipeline.ShowForm

// The forms of Show.
const (
	ShowStructured = pipeline.ShowStructured
	ShowFlat       = pipeline.ShowFlat
	ShowDot        = pipeline.ShowDot
)

// Show prints the program's representation.
func Show(in Input, form ShowForm, opt Options) (string, []verdict.Diagnostic, error) {
	return pipeline.Show(in, form, opt)
}

// ExportOptions say what Export writes, and in which language.
type ExportOptions = pipeline.ExportOptions

// ExportPromela is the language of the model checker SPIN.
const ExportPromela = pipeline.ExportPromela

// Export writes the program and its questions in the language of another tool.
func Export(in Input, opt ExportOptions) (string, []verdict.Diagnostic, error) {
	return pipeline.Export(in, opt)
}
