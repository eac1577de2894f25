package fencepost

import (
	"context"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/internal/native"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// StressOptions are the options of Stress. Models plays no part.
type StressOptions struct {
	LitmusOptions
	Paths   []string // files and directories
	Inputs  []Input  // further tests
	Seconds float64  // per test
	// Done is called with the tests, in order. Tested is called with the number of tests that are done. Both
	// may be nil.
	Done   func(*verdict.StressTest)
	Tested func(done, total int)
}

// UnavailableError says why stress programs cannot run here: another processor, or no compiler.
type UnavailableError struct{ Message, Hint string }

func (e *UnavailableError) Error() string { return e.Message }

// Stress compiles and runs litmus tests on this machine's processor, one after the
// other, and compares the outcomes with the outcomes of TSO. An error is an
// *UnavailableError or an *InputError, before anything ran. After the context's end no
// further test begins.
func Stress(ctx context.Context, opt StressOptions) (verdict.StressSummary, error) {
	var sum verdict.StressSummary
	compiler, err := native.Find(opt.Seconds)
	if err != nil {
		return sum, public(err)
	}
	tests, err := suite.Find(opt.Paths)
	if err != nil {
		return sum, public(err)
	}
	for _, in := range opt.Inputs {
		tests = append(tests, suite.Test{Path: in.Name, Name: in.Name, Text: in.Text})
	}
	begun := time.Now()
	for i, t := range tests {
		if ctx.Err() != nil {
			sum.NotRun += len(tests) - i
			sum.Tests += len(tests) - i
			break
		}
		res := stressOne(ctx, t, opt, compiler)
		sum.Add(res)
		orNothing(opt.Done)(res)
		if opt.Tested != nil {
			opt.Tested(i+1, len(tests))
		}
	}
	sum.Seconds = time.Since(begun).Seconds()
	return sum, nil
}

func stressOne(ctx context.Context, t suite.Test, opt StressOptions, compiler *native.Compiler) *verdict.StressTest {
	text := t.Text
	if text == nil {
		var err error
		if text, err = inputfile.Read(t.Path); err != nil {
			return &verdict.StressTest{File: t.Path, Name: t.Name, Status: verdict.StressNotRun, Diagnostics: []verdict.Diagnostic{suite.Unreadable(t.Path, err)}}
		}
	}
	res, err := litmus.Stress(ctx, pipeline.Input{Name: t.Path, Text: text}, litmus.StressOptions{Options: opt.LitmusOptions.internal(), Run: compiler.Run})
	if err != nil {
		res.Failure = err.Error()
	}
	return &res
}
