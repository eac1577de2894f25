package verify

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/traces"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/query"
	"fencepost/verdict"
)

// Stored traces. Each execution is replayed and its trace computed again. That the list has every trace
// once is asked again.

// Traces checks stored traces of a program.
func Traces(ctx context.Context, in query.Input, sets []verdict.TraceSet, opt query.Options) (query.VerifyAnswer, error) {
	v := &verifier{ctx: ctx, given: in, flags: opt, run: pipeline.Open(in)}
	return v.answer([]string{"asked", "stats", "warnings"}, func() error {
		for i := range sets {
			if err := v.traceSet(&sets[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// traceSet verifies the traces of a program. It returns an error if the program is refused.
func (v *verifier) traceSet(s *verdict.TraceSet) error {
	if err := v.begin(s.Program, s.Asked, s.Sources); err != nil {
		v.judge(s.Model, "sources", "the program", err)
		return nil
	}
	if err := v.read(); err != nil {
		return err
	}
	v.run.Stage = "replay"
	var witnesses []*verdict.Witness
	for i := range s.Traces {
		witnesses = append(witnesses, s.Traces[i].Witness)
	}
	v.judge(s.Model, "sources", "the program", sameSources(s.Sources, v.now.Sources(witnesses...)))
	for i := range s.Traces {
		t := &s.Traces[i]
		c := query.VerifyCheck{Name: fmt.Sprintf("trace %d", i+1), Model: s.Model, Shows: "its trace", Steps: len(t.Witness.Steps), Step: -1}
		c.Err = v.trace(s, t, i+1)
		v.checks = append(v.checks, c)
	}
	v.judge(s.Model, "answer", fmt.Sprintf("computed again: %d traces", s.Count), v.tracesAgain(s))
	return nil
}

// trace replays the execution of a trace and computes the trace again.
func (v *verifier) trace(s *verdict.TraceSet, t *verdict.Trace, number int) error {
	model, err := replay.ParseModel(s.Model)
	if err != nil {
		return err
	}
	if err := v.threads(t.Witness); err != nil {
		return err
	}
	target := replay.TargetExecution
	if len(t.Fails) > 0 || t.Blocked {
		target = replay.TargetPrefix
	}
	if err := replay.Replay(v.now.flat, &property.Set{}, model, t.Witness, replay.Expect{Target: target}); err != nil {
		return err
	}
	m, _ := memory.ParseModel(s.Model)
	again, err := shorten.Rerun(v.now.flat, m, t.Witness)
	if err != nil {
		return err
	}
	v.now.AddTexts(again)
	now := pipeline.DescribeTrace(v.now.flat, t.Witness, query.By(s.By))
	now.Number, now.Witness, now.Fails = number, again, t.Fails // that the checks fail is asked again
	if now.Blocked = t.Blocked; t.Blocked {                     // so is this, and its cycle is not told
		now.Cycle = nil
	}
	return compared(t, now)
}

// tracesAgain explores the traces once more.
func (v *verifier) tracesAgain(s *verdict.TraceSet) error {
	v.run.Stage = "asking again"
	if v.question.traces == nil {
		return fmt.Errorf("the command %q has no traces", s.Asked.Command)
	}
	var all []verdict.Trace
	opt := *v.question.traces
	opt.Model, opt.Each = query.Model(s.Model), func(t *verdict.Trace) { all = append(all, *t) }
	again, err := traces.Run(v.ctx, v.in, opt)
	now, diags := again.Set, again.Diagnostics
	switch {
	case err != nil:
		return err
	case query.HasErrors(diags):
		return fmt.Errorf("computed again, the program is refused: %s", diags[len(diags)-1].Message)
	case limited(now.Reason) && !limited(s.Reason):
		return fmt.Errorf("%w: computed again, not all traces are found: %s", errOpen, now.Reason)
	case limited(s.Reason):
		if slices.ContainsFunc(s.Traces, func(t verdict.Trace) bool {
			return !slices.ContainsFunc(all, func(o verdict.Trace) bool { return reflect.DeepEqual(o.Edges, t.Edges) })
		}) || s.Count+s.Failing != int64(len(s.Traces)) {
			return fmt.Errorf("%w: a limit ended the listing: %s", errOpen, s.Reason)
		}
		return nil
	}
	now.Traces = all
	stored := *s
	for _, x := range []*verdict.TraceSet{&stored, &now} {
		x.Asked, x.Stats, x.Warnings, x.Sources = nil, verdict.Stats{}, nil, nil
	}
	return compared(stored, now)
}
