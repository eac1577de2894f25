package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"

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
// returns nil if the question was refused. Without results, a program that exceeds the limits is refused.
func (r *Run) Do(work func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%s, %s: %v\n%s", r.Input.Name, r.Stage, broken, Stack())
		}
	}()
	over, deaf := (*OverLimit)(nil), (*Deaf)(nil)
	switch err := work(); {
	case err == nil, errors.Is(err, ErrRefused):
		return nil
	case errors.As(err, &over):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: over.Error(), Notes: []string{over.advice}})
		return nil
	case errors.As(err, &deaf):
		r.Refuse(verdict.Diagnostic{Code: OverLimitCode, Message: deaf.Error()})
		return nil
	default:
		return fmt.Errorf("%s, %s: %w", r.Input.Name, r.Stage, err)
	}
}

// Answer runs the stages of a question that answers with results, and stores in each result what
// was asked.
func (r *Run) Answer(command string, options any, work func() ([]verdict.Result, error)) (Answer, error) {
	var answer Answer
	err := r.Do(func() (err error) {
		answer.Results, err = work()
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

// Stack is the stack of the calling goroutine, for reports of broken invariants.
func Stack() []byte {
	buf := make([]byte, 8<<10)
	return buf[:runtime.Stack(buf, false)]
}

// Limit sets the time limit of a question. The caller calls the function that it returns at the end.
func (o *Options) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, o.Timeout)
}
