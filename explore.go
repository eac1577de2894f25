package fencepost

import (
	"cmp"
	"context"
	"errors"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/explore"
	"fencepost/verdict"
)

// ExploreOptions are the options of Explore.
type ExploreOptions struct {
	Options
	Model Model // "": TSO
	// Run names the steps to take, as verdict.State has them. Witness, if not nil, is taken before: an execution
	// that an earlier answer has.
	Run     []string
	Witness *verdict.Witness
	// Add names a step to take after the others.
	Add string
	// Advance also takes the local steps that follow and leave nothing to choose.
	Advance bool
	// Lenient leaves steps of the run out that are not possible, instead of refusing the run.
	Lenient bool
}

func (o *ExploreOptions) internal() explore.Options {
	return explore.Options{
		Options: o.Options.internal(), Model: string(cmp.Or(o.Model, TSO)), Run: o.Run, Witness: o.Witness, Add: o.Add, Advance: o.Advance, Lenient: o.Lenient,
	}
}

// MaxRun is the largest number of steps of a run.
const MaxRun = explore.MaxRun

// RunError says which step of a run is not possible. A run that was stored by another version, or changed, may have
// such a step.
type RunError struct {
	Index int // in the run, from 0
	Name  string
	Why   string
}

func (e *RunError) Error() string {
	return (&explore.RunError{Index: e.Index, Name: e.Name, Why: e.Why}).Error()
}

// NoFenceError says why no fence can be written that forbids a run.
type NoFenceError struct{ Why string }

func (e *NoFenceError) Error() string { return e.Why }

// explored converts the errors of runs.
func explored(err error) error {
	if wrong := (*explore.RunError)(nil); errors.As(err, &wrong) {
		return &RunError{Index: wrong.Index, Name: wrong.Name, Why: wrong.Why}
	}
	if none := (*explore.NoFenceError)(nil); errors.As(err, &none) {
		return &NoFenceError{none.Why}
	}
	return public(err)
}

// StateAnswer is a state, and the diagnostics about the input. With an error among the diagnostics there is no state.
type StateAnswer struct {
	State       *verdict.State
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a StateAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// Explore returns the state that a run leads to, and what is possible next. A run that is not possible is a
// *RunError. Nothing is kept between calls.
func Explore(ctx context.Context, in Input, opt ExploreOptions) (StateAnswer, error) {
	state, diags, err := explore.Run(ctx, in.internal(), opt.internal())
	return StateAnswer{State: state, Diagnostics: diags}, explored(err)
}

// CompareAnswer is the state that a run leads to under another model, and what became of each of its steps.
type CompareAnswer struct {
	State       *verdict.State
	Matches     []verdict.StepMatch
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a CompareAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// Compare takes the steps of a run under another model, and leaves out the ones that are not possible there. A run of
// SC brings every store to memory at once.
func Compare(ctx context.Context, in Input, opt ExploreOptions, other Model) (CompareAnswer, error) {
	state, matches, diags, err := explore.Compare(ctx, in.internal(), opt.internal(), string(other))
	return CompareAnswer{State: state, Matches: matches, Diagnostics: diags}, explored(err)
}

// InsertFence returns the text of the program with a fence that forbids the execution of a run, whose happens-before
// relation must have a cycle. The run was tried again on the new text. If there is no such fence, the error is a
// *NoFenceError.
func InsertFence(ctx context.Context, in Input, opt ExploreOptions) (TextAnswer, error) {
	text, diags, err := explore.InsertFence(ctx, in.internal(), opt.internal())
	return TextAnswer{Text: text, Diagnostics: diags}, explored(err)
}

// GraphOptions are the options of Graph.
type GraphOptions struct {
	Options
	Model Model // "": TSO
	Limit int   // of states; 0: DefaultGraph
}

// DefaultGraph is the limit of states of a graph where GraphOptions sets none.
const DefaultGraph = 300

// GraphAnswer is the graph of the states of a program, and the diagnostics about the input.
type GraphAnswer struct {
	Graph       *verdict.StateGraph
	Diagnostics []verdict.Diagnostic
}

// HasErrors reports whether the input was refused.
func (a GraphAnswer) HasErrors() bool { return pipeline.HasErrors(a.Diagnostics) }

// Graph returns the graph of the states of a small program, and which of them SC does not have.
func Graph(ctx context.Context, in Input, opt GraphOptions) (GraphAnswer, error) {
	graph, diags, err := explore.Graph(ctx, in.internal(), string(cmp.Or(opt.Model, TSO)), cmp.Or(opt.Limit, DefaultGraph), opt.Options.internal())
	return GraphAnswer{Graph: graph, Diagnostics: diags}, explored(err)
}
