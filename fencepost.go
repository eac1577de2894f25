// Package fencepost answers questions about concurrent programs on processors
// that buffer stores. It is the API the command line is built on.
//
// Mistakes in the input come back as diagnostics, not as errors; an error means
// that fencepost itself failed.
package fencepost

import (
	"context"

	"fencepost/internal/engine/lazy"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/export"
	"fencepost/internal/question/param"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/traces"
	"fencepost/internal/question/verify"
	"fencepost/verdict"
)


// Input is a program: one source file, or several of C. The language follows the
// name's extension unless Options.Lang says otherwise.
type Input = pipeline.Input

// File is one of the further files of a C program.
type File = pipeline.File

// Engines are the names of the engines that answer Check, the default first.
func Engines() []string { return pipeline.EngineNames() }

// Progress is how far a run has come.
type Progress = pipeline.Progress

// Bounds where Options sets none. A search that meets one of them is Unknown, never
// Safe; one that meets only bounds that Options sets is Safe within them.
const (
	DefaultBuffer = pipeline.DefaultBuffer
	DefaultUnroll = pipeline.DefaultUnroll
)

// Answer is what every command returns.
type Answer = pipeline.Answer

// Check answers whether the assertions, goals and final conditions of a program
// hold under each of the models (sc, tso, pso): one result per model.
func Check(ctx context.Context, in Input, models []string, opt Options) (Answer, error) {
	return check.Run(ctx, in, models, opt.check())
}

// The criteria Robust can decide, as Options.Criterion.
const (
	CriterionTrace = string(robust.Trace)
	CriterionTRF   = string(robust.TRF)
	CriterionState = string(robust.State)
)

// Robust answers whether a program is robust against TSO: whether delaying stores
// gives it no execution that is new, judged by happens-before. The result's
// verdict is Safe for robust and Unsafe for not; Attacks say how. Options.Criterion
// asks for triangular-race freedom or equal final states instead.
func Robust(ctx context.Context, in Input, opt Options) (Answer, error) {
	return robust.Run(ctx, in, opt.robust())
}

// The methods of Robust, for Options.Method: one search over all attacks, or one
// instrumented program for each.
const (
	MethodSearch     = string(robust.Search)
	MethodInstrument = string(robust.Instrument)
)

// LazyModes are the variants of the engine lazy, for Options.Mode; the first is the
// default.
var LazyModes = lazy.Modes

// ShowInstrumented prints the program whose SC executions decide whether an attack
// on robustness, numbered from 1, is feasible.
func ShowInstrumented(in Input, attack int, opt Options) (string, []verdict.Diagnostic, error) {
	return export.ShowInstrumented(context.Background(), in, attack, opt.common())
}

// RobustParam answers whether a program is robust for any number of instances of its
// templates. An Unsafe comes with the smallest instance found that is not.
func RobustParam(ctx context.Context, in Input, opt Options) (Answer, error) {
	return param.Robust(ctx, in, param.RobustOptions{Options: opt.robust(), Domain: opt.Domain})
}

// CheckParam answers whether assertions and goals hold under SC for any number of
// instances of the program's templates.
func CheckParam(ctx context.Context, in Input, opt Options) (Answer, error) {
	return param.Check(ctx, in, param.CheckOptions{Options: opt.check(), Domain: opt.Domain})
}

// Traces explores one execution for every Shasha-Snir trace of a program under a
// model. Each, if not nil, is called with every complete one, in order; without it
// they are only counted.
func Traces(ctx context.Context, in Input, model string, opt Options, each func(*verdict.Trace)) (verdict.TraceSet, []verdict.Diagnostic, error) {
	return traces.Run(ctx, in, model, traces.Options{Options: opt.common(), Algorithm: opt.Algorithm}, each)
}

// ShowForm says in which form Show prints a program.
type ShowForm = export.Form

// The forms of Show.
const (
	ShowStructured = export.Structured
	ShowFlat       = export.Flat
	ShowDot        = export.Dot
)

// Show prints the program's representation.
func Show(in Input, form ShowForm, opt Options) (string, []verdict.Diagnostic, error) {
	return export.Show(context.Background(), in, form, opt.common())
}

// ExportOptions say what Export writes, and in which language.
type ExportOptions struct {
	Options
	Format ExportFormat
	Model  string // sc or tso
	// Attack is the number of an attack, from 1: instead of the program its instrumented program is
	// written, whose model is SC. 0: none.
	Attack int
}

// ExportFormat is a language of another tool.
type ExportFormat = export.Format

// ExportPromela is the language of the model checker SPIN.
const ExportPromela = export.Promela

// ExportPNML is the exchange format of Petri nets, for programs of any number of threads.
const ExportPNML = export.PNML

// Export writes the program and its questions in the language of another tool.
func Export(in Input, opt ExportOptions) (string, []verdict.Diagnostic, error) {
	return export.Run(context.Background(), in, export.Options{Options: opt.common(), Deadlock: opt.Deadlock, Format: opt.Format, Model: opt.Model, Attack: opt.Attack, Domain: opt.Domain})
}

// VerifyAnswer is what Verify says: a judgement on each execution and on the rest of each
// result, and what was not looked at.
type VerifyAnswer = verify.Answer

// TraceCheck is the judgement on one execution.
type TraceCheck = verify.Check

// Verify replays the executions of stored results about a program, independently of
// all engines, and holds what they claim against what it computes. What no execution shows is
// asked again. Results carry the options they were asked for with; those of opt that are set win.
func Verify(ctx context.Context, in Input, results []verdict.Result, opt Options) (VerifyAnswer, error) {
	return verify.Results(ctx, in, results, opt.common())
}

// VerifyTraces does the same for stored traces.
func VerifyTraces(ctx context.Context, in Input, sets []verdict.TraceSet, opt Options) (VerifyAnswer, error) {
	return verify.Traces(ctx, in, sets, opt.common())
}
