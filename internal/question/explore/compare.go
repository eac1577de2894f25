package explore

import (
	"context"
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// Compare takes the steps of a run under another model, one by one. It returns the state there, and what became of each
// step of the run: steps that are not possible there are left out. A run that is not possible under its own model is a
// *query.RunError.
func Compare(ctx context.Context, in query.Input, opt query.ExploreOptions, other query.Model) (*verdict.State, []verdict.StepMatch, []verdict.Diagnostic, error) {
	run := pipeline.Open(in)
	var state *verdict.State
	matches := []verdict.StepMatch{}
	var refused *query.RunError
	err := run.Do(ctx, func(ctx context.Context) error {
		there, err := pipeline.ParseModel(other)
		if err != nil {
			return err
		}
		w, impossible, err := openRun(ctx, run, &opt)
		if refused = impossible; refused != nil || err != nil {
			return err
		}
		run.Stage = "compare"
		m := &matcher{from: w, to: newWalk(run.Program, w.flat, there)}
		for i := range w.rec.Witness().Steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			matches = append(matches, m.step(i))
		}
		if err := m.to.agree(); err != nil {
			return fmt.Errorf("the run under the other model does not replay: %w", err)
		}
		state = m.to.state()
		return nil
	})
	if refused != nil {
		return nil, nil, run.Diagnostics, refused
	}
	return state, matches, run.Diagnostics, err
}

// matcher takes the steps of a walk under another model.
type matcher struct {
	from, to *walk
	index    []int // by step of from: the step of to, or -1
}

// step takes a step of the walk under the other model, if it is possible there.
func (m *matcher) step(i int) verdict.StepMatch {
	want := &m.from.rec.Witness().Steps[i]
	m.index = append(m.index, -1)
	if want.Kind == verdict.StepFlush {
		return m.flush(i, want)
	}
	_, steps := m.to.enabled(want.Thread)
	for k, st := range steps {
		if !m.to.is(st, want) {
			continue
		}
		m.take(i, st, stepName(false, want.Thread, k, len(steps)))
		got := &m.to.rec.Witness().Steps[m.index[i]]
		if m.from.model == memory.SC {
			m.drain(want.Thread)
		}
		out := verdict.StepMatch{Possible: true}
		reads := got.Kind == verdict.StepLoad || got.Kind == verdict.StepRMW
		if got.Kind != want.Kind || reads && got.Value != want.Value {
			out.Instead = got.Kind.String()
			if reads {
				out.Instead = got.ValueText()
			}
		}
		return out
	}
	if len(steps) > 0 {
		return verdict.StepMatch{Reason: "another statement comes next, because a value is different"}
	}
	return verdict.StepMatch{Reason: m.to.hindrance(want.Thread)}
}

func (m *matcher) take(i int, st memory.Step, name string) {
	m.index[i] = len(m.to.names)
	m.to.take(st, name)
}

// flush brings the store of an earlier step to memory.
func (m *matcher) flush(i int, want *verdict.Step) verdict.StepMatch {
	made := m.index[want.Of]
	if made < 0 {
		return verdict.StepMatch{Reason: "the store is not possible"}
	}
	s := m.to.rec.State()
	flushes, _ := m.to.enabled(want.Thread)
	for k, st := range flushes {
		if int(s.Buffer(ir.ThreadID(want.Thread))[st.Index].Tag) == made {
			m.take(i, st, stepName(true, want.Thread, k, len(flushes)))
			return verdict.StepMatch{Possible: true}
		}
	}
	for _, e := range s.Buffer(ir.ThreadID(want.Thread)) {
		if e.Kind != memory.Marker && int(e.Tag) == made {
			return verdict.StepMatch{Reason: "waits: an older store is in front of it"}
		}
	}
	return verdict.StepMatch{Possible: true, Nothing: true}
}

// drain brings all stores of a thread to memory, as SC does at once.
func (m *matcher) drain(thread int) {
	for len(m.to.names) < query.MaxRun {
		flushes, _ := m.to.enabled(thread)
		if len(flushes) == 0 {
			return
		}
		m.to.take(flushes[0], stepName(true, thread, 0, len(flushes)))
	}
}
