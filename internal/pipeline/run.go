package pipeline

import (
	"context"
	"errors"
	"fmt"

	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// ErrRefused says that the program or the question was refused. The diagnostics of the run say why.
var ErrRefused = errors.New("refused")

// OptionError is an option with a value that it cannot have.
type OptionError struct {
	Option string // such as "model"
	Value  string
	Want   string // the values that the option can have
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("unknown %s %q, want %s", e.Option, e.Value, e.Want)
}

// Run carries one program through the stages.
type Run struct {
	*Program
	// Stage is the stage at work. Reports of broken invariants name it.
	Stage string
	// What is asked, for an answer where the program could not be read within the limits.
	question verdict.Question
	models   []string
}

// Asks notes what is asked about the program.
func (r *Run) Asks(question verdict.Question, models ...string) {
	r.question, r.models = question, models
}

// Open begins a run.
func Open(in Input) *Run {
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
	over, late := (*OverLimit)(nil), (*supervise.NotStopped)(nil)
	switch err := work(supervise.WithScope(ctx)); {
	case err == nil, errors.Is(err, ErrRefused):
		return nil
	case errors.As(err, &over):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: over.Error(), Notes: []string{over.advice}})
		return nil
	case errors.As(err, &late):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: late.Error()})
		return nil
	default:
		return fmt.Errorf("%s, %s: %w", r.Input.Name, r.Stage, err)
	}
}

// Answer runs the stages of a question that answers with results, and stores in each result what
// was asked.
func (r *Run) Answer(ctx context.Context, command string, options any, work func(context.Context) ([]verdict.Result, error)) (Answer, error) {
	var answer Answer
	err := r.Do(ctx, func(ctx context.Context) (err error) {
		answer.Results, err = work(ctx)
		if none := r.undecided(err); len(none) > 0 {
			answer.Results, err = none, nil
		}
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	answer.Diagnostics = r.Diagnostics
	remember(&answer, command, options)
	return answer, nil
}
