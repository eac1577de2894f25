package fencepost

import (
	"context"
	"runtime"

	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// LitmusOptions say how litmus tests run.
type LitmusOptions struct {
	Options
	// Witnesses asks for an execution for every outcome that SC does not allow.
	Witnesses bool
}

func (o *LitmusOptions) litmus() litmus.Options {
	return litmus.Options{Options: o.common(), Witnesses: o.Witnesses}
}

// Litmus runs a litmus test under each of the models.
func Litmus(ctx context.Context, in Input, models []string, opt LitmusOptions) (verdict.LitmusTest, error) {
	return litmus.Run(ctx, in, models, opt.litmus())
}

// InputError is about a path or table that LitmusSuite cannot use.
type InputError = suite.InputError

// SuiteOptions say which litmus tests to run, and how.
type SuiteOptions struct {
	LitmusOptions
	Paths  []string // files and directories
	Inputs []Input  // tests beside those in Paths
	Models []string
	Expect string // file with a table of expected answers, "" for none
	// Done takes the tests in order. Tested is told how many are done. Both are called
	// one at a time; Tested may be nil.
	Done   func(*verdict.LitmusTest)
	Tested func(done, total int)
}

// LitmusSuite runs many litmus tests, as many side by side as Workers says. An
// error is an *InputError, before anything ran.
func LitmusSuite(ctx context.Context, opt SuiteOptions) (verdict.LitmusSummary, error) {
	tests, err := suite.Find(opt.Paths)
	if err != nil {
		return verdict.LitmusSummary{}, err
	}
	for _, in := range opt.Inputs {
		tests = append(tests, suite.Test{Path: in.Name, Name: in.Name, Text: in.Text})
	}
	s := &suite.Suite{Tests: tests, Models: opt.Models, Workers: opt.Workers, Done: opt.Done, Progress: opt.Tested}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Expect != "" {
		if s.Expected, err = suite.ReadExpected(opt.Expect); err != nil {
			return verdict.LitmusSummary{}, err
		}
	}
	// Many tests side by side are faster than many workers on each.
	each := opt.LitmusOptions
	each.Workers = max(1, s.Workers/max(1, len(tests)))
	s.Run = func(ctx context.Context, name string, text []byte) (verdict.LitmusTest, error) {
		return litmus.Run(ctx, Input{Name: name, Text: text}, opt.Models, each.litmus())
	}
	return s.RunAll(ctx), nil
}
