package fencepost

import (
	"cmp"
	"context"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/traces"
	"fencepost/verdict"
)

// TraceOptions are the options of Traces.
type TraceOptions struct {
	Options
	Model     Model     // "": TSO
	By        By        // "": ByTrace
	Algorithm Algorithm // "": OptimalDPOR
	// Fingerprint asks for the fingerprint of the reads-from classes (verdict.TraceSet). CrossCheck
	// explores by traces and by classes, and fails if the fingerprints differ.
	Fingerprint, CrossCheck bool
	// Each, if not nil, is called with every complete trace, and with those in which a check fails, in
	// order. Without it traces are only counted.
	Each func(*verdict.Trace)
}

// TraceAnswer is the traces of a program, without the list, and the diagnostics about the input.
type TraceAnswer struct {
	Set         verdict.TraceSet
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a TraceAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// By is an equivalence of executions.
type By string

// The equivalences.
const (
	ByTrace     By = pipeline.ByTrace     // Shasha-Snir traces
	ByReadsFrom By = pipeline.ByReadsFrom // reads-from classes: every read reads from the same write
)

// Traces explores one execution for every Shasha-Snir trace of a program, or for every reads-from class.
func Traces(ctx context.Context, in Input, opt TraceOptions) (TraceAnswer, error) {
	set, diags, err := traces.Run(ctx, in.internal(), string(cmp.Or(opt.Model, TSO)), traces.Options{
		Options: opt.Options.internal(), By: string(opt.By), Algorithm: string(opt.Algorithm), Fingerprint: opt.Fingerprint, CrossCheck: opt.CrossCheck,
	}, opt.Each)
	return TraceAnswer{Set: set, Diagnostics: diags}, public(err)
}
