package fencepost

import (
	"context"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/verify"
	"fencepost/verdict"
)

// VerifyAnswer has a judgement on each execution and on the rest of each result.
type VerifyAnswer struct {
	Checks      []VerifyCheck
	Diagnostics []verdict.Diagnostic
	// NotChecked names the fields that were compared with nothing.
	NotChecked []string
}

// HasErrors reports whether the program was refused.
func (a *VerifyAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// VerifyCheck is the judgement on one execution, or on something else that a result says.
type VerifyCheck struct {
	Name  string // such as violation, attack 2, answer
	Model Model
	Shows string // what the execution shows, according to the result
	Steps int    // of an execution
	// Err says what is wrong, nil if nothing is. Step is the step that it is about, from 0, or -1.
	Err  error
	Step int
	// Open: a limit was reached before anything could be said. Err says which.
	Open bool
}

// Verify replays the executions of stored results about a program, independently of all engines, and compares
// what they say with what it computes. What no execution shows is asked again. Results carry the options they
// were asked for with; options in opt that are not zero replace them.
func Verify(ctx context.Context, in Input, results []verdict.Result, opt Options) (VerifyAnswer, error) {
	return verified(verify.Results(ctx, in.internal(), results, opt.internal()))
}

// VerifyTraces does the same for stored traces.
func VerifyTraces(ctx context.Context, in Input, sets []verdict.TraceSet, opt Options) (VerifyAnswer, error) {
	return verified(verify.Traces(ctx, in.internal(), sets, opt.internal()))
}

func verified(a verify.Answer, err error) (VerifyAnswer, error) {
	out := VerifyAnswer{Diagnostics: a.Diagnostics, NotChecked: a.NotChecked}
	for _, c := range a.Checks {
		out.Checks = append(out.Checks, VerifyCheck{
			Name: c.Name, Model: Model(c.Model), Shows: c.Shows, Steps: c.Steps, Err: c.Err, Step: c.Step, Open: c.Open,
		})
	}
	return out, public(err)
}
