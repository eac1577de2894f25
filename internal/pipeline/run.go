package pipeline

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// ErrRefused says that the program or the question was refused. The diagnostics of the run say why.
var ErrRefused = errors.New("refused")

// Run carries one program through the stages.
type Run struct {
	*Program
	// Stage is the stage at work. Reports of broken invariants name it.
	Stage string
	// What is asked, for an answer where the program could not be read within the limits.
	question verdict.Question
	models   query.Models
}

// Asks notes what is asked about the program.
func (r *Run) Asks(question verdict.Question, models ...query.Model) {
	r.question, r.models = question, models
}

// Open begins a run.
func Open(in query.Input) *Run {
	return &Run{Program: newProgram(in), Stage: "front end"}
}

// Do runs the stages of a question. It turns a panic into an error that names stage and input, and
// returns nil if the question was refused. Without results, a program that exceeds the limits is refused. The context
// of the work has a scope for what is abandoned.
func (r *Run) Do(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%s, %s: %s", r.Input.Name, r.Stage, supervise.Broken(broken))
		}
	}()
	over, late, wrong := (*OverLimit)(nil), (*supervise.NotStopped)(nil), (*query.OptionError)(nil)
	switch err := work(supervise.WithScope(ctx)); {
	case err == nil, errors.Is(err, ErrRefused):
		return nil
	case errors.As(err, &over):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: over.Error(), Notes: []string{over.advice}})
		return nil
	case errors.As(err, &late):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: late.Error()})
		return nil
	case errors.As(err, &wrong): // of the caller, not of a stage
		return wrong
	default:
		return fmt.Errorf("%s, %s: %w", r.Input.Name, r.Stage, err)
	}
}

// Answer runs the stages of a question that answers with results, and stores in each result what
// was asked.
func (r *Run) Answer(ctx context.Context, command string, options any, work func(context.Context) ([]verdict.Result, error)) (query.Answer, error) {
	var answer query.Answer
	err := r.Do(ctx, func(ctx context.Context) (err error) {
		answer.Results, err = work(ctx)
		if none := r.undecided(err); len(none) > 0 {
			answer.Results, err = none, nil
		}
		return err
	})
	if err != nil {
		return query.Answer{}, err
	}
	answer.Diagnostics = r.Diagnostics
	remember(&answer, command, options)
	return answer, nil
}
