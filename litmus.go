package fencepost

import (
	"context"
	"runtime"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/verdict"
)

// LitmusOptions are the options of Litmus. Of Options, Timeout, Memory, Buffer, Unroll, Workers, NoReduction
// and C count.
type LitmusOptions struct {
	Options
	Models []Model // nil: TSO
	// Witnesses asks for an execution for every outcome that SC does not allow.
	Witnesses bool
	// AllWitnesses asks for an execution for every outcome.
	AllWitnesses bool
}

func (o *LitmusOptions) internal() litmus.Options {
	return litmus.Options{Options: o.Options.internal(), Witnesses: o.Witnesses, AllWitnesses: o.AllWitnesses}
}

// Litmus runs a litmus test under each of the models.
func Litmus(ctx context.Context, in Input, opt LitmusOptions) (verdict.LitmusTest, error) {
	test, err := litmus.Run(ctx, in.internal(), orTSO(opt.Models), opt.internal())
	return test, public(err)
}

// InputError is about a path or a table that cannot be used.
type InputError struct {
	Path string
	Err  error
}

func (e *InputError) Error() string { return (&suite.InputError{Path: e.Path, Err: e.Err}).Error() }

// Unwrap returns the error of the file system or of the reader.
func (e *InputError) Unwrap() error { return e.Err }

// SuiteOptions are the options of LitmusSuite.
type SuiteOptions struct {
	LitmusOptions
	Paths  []string // files and directories
	Inputs []Input  // further tests
	Expect string   // file with a table of expected answers, "" for none
	// Done is called with the tests, in order. Tested is called with the number of tests that are done.
	// There is one call at a time. Both may be nil.
	Done   func(*verdict.LitmusTest)
	Tested func(done, total int)
}

// LitmusSuite runs many litmus tests, Workers of them at the same time. An error is an *InputError or an
// *OptionError, before anything ran.
func LitmusSuite(ctx context.Context, opt SuiteOptions) (verdict.LitmusSummary, error) {
	if err := known(opt.Models); err != nil {
		return verdict.LitmusSummary{}, err
	}
	tests, err := suite.Find(opt.Paths)
	if err != nil {
		return verdict.LitmusSummary{}, public(err)
	}
	for _, in := range opt.Inputs {
		tests = append(tests, suite.Test{Path: in.Name, Name: in.Name, Text: in.Text})
	}
	s := &suite.Suite{Tests: tests, Models: orTSO(opt.Models), Workers: opt.Workers, Done: orNothing(opt.Done), Progress: opt.Tested}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Expect != "" {
		if s.Expected, err = suite.ReadExpected(opt.Expect); err != nil {
			return verdict.LitmusSummary{}, public(err)
		}
	}
	// Many tests at the same time are faster than many workers on each.
	each := opt.LitmusOptions
	each.Workers = max(1, s.Workers/max(1, len(tests)))
	s.Run = func(ctx context.Context, name string, text []byte) (verdict.LitmusTest, error) {
		return litmus.Run(ctx, pipeline.Input{Name: name, Text: text}, orTSO(opt.Models), each.internal())
	}
	return s.RunAll(ctx), nil
}

// known returns an *OptionError if one of the models does not exist.
func known(models []Model) error {
	for _, name := range orTSO(models) {
		if _, err := pipeline.ParseModel(name); err != nil {
			return public(err)
		}
	}
	return nil
}

// orNothing returns a function that can be called.
func orNothing[T any](f func(T)) func(T) {
	if f == nil {
		return func(T) {}
	}
	return f
}
