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
	Algorithm Algorithm // "": OptimalDPOR
	// Each, if not nil, is called with every complete trace, in order. Without it traces are only counted.
	Each func(*verdict.Trace)
}

// TraceAnswer is the traces of a program, without the list, and the diagnostics about the input.
type TraceAnswer struct {
	Set         verdict.TraceSet
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a TraceAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// Traces explores one execution for every Shasha-Snir trace of a program.
func Traces(ctx context.Context, in Input, opt TraceOptions) (TraceAnswer, error) {
	set, diags, err := traces.Run(ctx, in.internal(), string(cmp.Or(opt.Model, TSO)), traces.Options{
		Options: opt.Options.internal(), Algorithm: string(opt.Algorithm),
	}, opt.Each)
	return TraceAnswer{Set: set, Diagnostics: diags}, public(err)
}
