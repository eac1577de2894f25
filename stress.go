package fencepost

import (
	"context"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/internal/native"
	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// StressOptions say which litmus tests run on the processor, and for how long.
type StressOptions struct {
	LitmusOptions
	Paths   []string // files and directories
	Inputs  []Input  // tests beside those in Paths
	Seconds float64  // per test
	// Done takes the tests in order. Tested is told how many are done; it may be nil.
	Done   func(*verdict.StressTest)
	Tested func(done, total int)
}

// UnavailableError says why stress programs cannot run here: another processor, or no
// compiler.
type UnavailableError = native.UnavailableError

// Stress compiles and runs litmus tests on this machine's processor, one after the
// other, and compares the outcomes with those that TSO allows. An error is an
// *UnavailableError or an *InputError, before anything ran. After the context's end no
// further test begins.
func Stress(ctx context.Context, opt StressOptions) (verdict.StressSummary, error) {
	var sum verdict.StressSummary
	compiler, err := native.Find(opt.Seconds)
	if err != nil {
		return sum, err
	}
	tests, err := suite.Find(opt.Paths)
	if err != nil {
		return sum, err
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
		opt.Done(res)
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
	res, err := litmus.Stress(ctx, Input{Name: t.Path, Text: text}, litmus.StressOptions{Options: opt.litmus(), Run: compiler.Run})
	if err != nil {
		res.Failure = err.Error()
	}
	return &res
}
