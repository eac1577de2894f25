package fencepost

import (
	"context"
	"runtime"
	"strings"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/litmus"
	"fencepost/internal/suite"
	"fencepost/query"
	"fencepost/verdict"
)

// LitmusSuite runs many litmus tests, Workers of them at the same time. An error is a *query.InputError or a
// *query.OptionError, before anything ran.
func LitmusSuite(ctx context.Context, opt query.SuiteOptions) (verdict.LitmusSummary, error) {
	if err := known(opt.Models); err != nil {
		return verdict.LitmusSummary{}, err
	}
	tests, err := suite.Find(opt.Paths)
	if err != nil {
		return verdict.LitmusSummary{}, err
	}
	for _, in := range opt.Inputs {
		tests = append(tests, suite.Test{Path: in.Name, Name: in.Name, Text: in.Text})
	}
	s := &suite.Suite{Tests: tests, Models: strings.Split(opt.Models.OrTSO().String(), ","), Workers: opt.Workers, Done: orNothing(opt.Done), Progress: opt.Tested}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Expect != "" {
		if s.Expected, err = suite.ReadExpected(opt.Expect); err != nil {
			return verdict.LitmusSummary{}, err
		}
	}
	// Many tests at the same time are faster than many workers on each.
	each := opt.LitmusOptions
	each.Workers = max(1, s.Workers/max(1, len(tests)))
	s.Run = func(ctx context.Context, name string, text []byte) (verdict.LitmusTest, error) {
		return litmus.Run(ctx, query.Input{Name: name, Text: text}, each)
	}
	return s.RunAll(ctx), nil
}

// known returns a *query.OptionError if one of the models does not exist.
func known(models query.Models) error {
	for _, name := range models.OrTSO() {
		if _, err := pipeline.ParseAnyModel(name); err != nil {
			return err
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
