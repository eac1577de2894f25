package fencepost

import (
	"context"
	"time"

	"fencepost/internal/inputfile"
	"fencepost/internal/native"
	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/query"
	"fencepost/verdict"
)

// Stress compiles and runs litmus tests on this machine's processor, one after the
// other, and compares the outcomes with the outcomes of TSO. An error is an
// *query.UnavailableError or a *query.InputError, before anything ran. After the context's end no
// further test begins.
func Stress(ctx context.Context, opt query.StressOptions) (verdict.StressSummary, error) {
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
		orNothing(opt.Done)(res)
		if opt.Tested != nil {
			opt.Tested(i+1, len(tests))
		}
	}
	sum.Seconds = time.Since(begun).Seconds()
	return sum, nil
}

func stressOne(ctx context.Context, t suite.Test, opt query.StressOptions, compiler *native.Compiler) *verdict.StressTest {
	text := t.Text
	if text == nil {
		var err error
		if text, err = inputfile.Read(t.Path); err != nil {
			return &verdict.StressTest{File: t.Path, Name: t.Name, Status: verdict.StressNotRun, Diagnostics: []verdict.Diagnostic{suite.Unreadable(t.Path, err)}}
		}
	}
	res, err := litmus.Stress(ctx, query.Input{Name: t.Path, Text: text}, opt.LitmusOptions, compiler.Run)
	if err != nil {
		res.Failure = err.Error()
	}
	return &res
}
