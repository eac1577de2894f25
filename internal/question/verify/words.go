package verify

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// What a stored result says in words. The steps were replayed before. Here the execution is recorded
// once more, and what a reader sees of it is compared with that: names of memory, positions,
// instructions, notes, the reason, what was delayed past what, and the fence that is advised. Texts name
// files by their base names.

// words compares what a result says about an execution. want is the finding of replay at its end.
func (v *verifier) words(r *verdict.Result, e *verdict.Execution, want replay.Expect) error {
	model, ok := memory.ParseModel(modelOf(r, e))
	if !ok {
		return fmt.Errorf("unknown memory model")
	}
	flat := v.now.flat
	if e.Question == verdict.UnsupportedConstruct {
		flat = transform.UnsupportedAsChecks(flat, false)
	}
	again, err := shorten.Rerun(flat, model, e.Witness)
	if err != nil {
		return err
	}
	v.now.AddTexts(again)
	if again.Graph = e.Witness.Graph; model == memory.C11 && e.Cause != nil {
		v.now.Cause(flat, model, again) // which notes the loads that read older values
	}
	for i := range again.Steps {
		if err := v.sameStep(r, &e.Witness.Steps[i], &again.Steps[i]); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	if !v.sameBlocks(r, e.Witness.Blocks, again.Blocks) {
		return fmt.Errorf("the blocks of the heap are not those of the steps")
	}
	switch {
	case e.Attack != nil:
		return v.attackWords(r, e)
	case e.Triangle != nil:
		return v.triangleWords(r, e)
	case e.Question == verdict.UnsupportedConstruct:
		return v.unsupportedWords(r, want.Edge)
	}
	if e.Cause == nil && hasCause(r, e) {
		return fmt.Errorf("the execution has no explanation")
	}
	if e.Cause != nil {
		if now := v.now.Cause(v.now.flat, model, e.Witness); !v.sameCause(r, e.Cause, now) {
			return fmt.Errorf("the explanation is not that of the steps, which is: %s", now.Words[0])
		}
	}
	return v.reason(r, e, want)
}

// unsupportedWords compares what is said about a construct that an execution reaches.
func (v *verifier) unsupportedWords(r *verdict.Result, at ir.EdgeID) error {
	u := r.Coverage.Unsupported
	_, e, ok := v.now.flat.EdgeByID(at)
	if !ok || e.Op.Kind != ir.Unsupported {
		return fmt.Errorf("the execution does not end at a construct that is not supported")
	}
	if u.Code != e.Op.Report.Code {
		return fmt.Errorf("the result gives the code %q, but the code is %q", u.Code, e.Op.Report.Code)
	}
	return v.said(r, u.Message, u.Pos, e.Op.Report.Msg, engine.Pos(e))
}

// hasCause reports whether a result says why an execution is possible.
func hasCause(r *verdict.Result, e *verdict.Execution) bool {
	return r.Litmus == nil && !strings.HasPrefix(e.Reason, verdict.EndsIn) && (e.Question != verdict.DataRaces || isC11(modelOf(r, e))) && e.Question != verdict.StateRobustness
}

func modelOf(r *verdict.Result, e *verdict.Execution) string {
	if e.Model != "" {
		return e.Model
	}
	return r.Model
}

// sameStep compares all of a step.
func (v *verifier) sameStep(r *verdict.Result, stored, now *verdict.Step) error {
	if !v.samePos(r, stored.Pos, now.Pos) {
		return fmt.Errorf("the result says %s, but the instruction is at %s", pipeline.PositionText(stored), pipeline.PositionText(now))
	}
	a, b := *stored, *now
	a.Pos, b.Pos = nil, nil
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for _, field := range reflect.VisibleFields(x.Type()) {
		if field.Anonymous {
			continue
		}
		if f, g := x.FieldByIndex(field.Index), y.FieldByIndex(field.Index); !(f.Kind() == reflect.Slice && f.Len() == 0 && g.Len() == 0) && !reflect.DeepEqual(f.Interface(), g.Interface()) {
			return fmt.Errorf("%s: stored %q, computed %q", field.Name, fmt.Sprint(f.Interface()), fmt.Sprint(g.Interface()))
		}
	}
	return nil
}

// samePos compares positions. The program may lie in another directory now.
func (v *verifier) samePos(r *verdict.Result, stored, now *verdict.Pos) bool {
	if stored == nil || now == nil {
		return stored == now
	}
	a, b := *stored, *now
	if v.now.Locate != nil {
		v.now.Locate(&b)
	}
	_, known := r.Sources[a.File]
	if !known && a.File != b.File {
		return false
	}
	a.File, b.File = path.Base(a.File), path.Base(b.File)
	return a == b
}

// sameBlocks compares the names of blocks and where they were allocated.
func (v *verifier) sameBlocks(r *verdict.Result, stored, now []verdict.Block) bool {
	return slices.EqualFunc(stored, now, func(a, b verdict.Block) bool {
		return a.Name == b.Name && a.By == b.By && a.Step == b.Step && v.samePos(r, a.Pos, b.Pos)
	})
}

func (v *verifier) sameCause(r *verdict.Result, stored, now *verdict.Cause) bool {
	a, b := *stored, *now
	if (a.Fence == nil) != (b.Fence == nil) {
		return false
	}
	if a.Fence != nil && (a.Fence.Kind != b.Fence.Kind || !v.samePos(r, a.Fence.After, b.Fence.After) || !v.samePos(r, a.Fence.Before, b.Fence.Before)) {
		return false
	}
	a.Fence, b.Fence = nil, nil
	return reflect.DeepEqual(a, b)
}

// said compares a sentence and its position.
func (v *verifier) said(r *verdict.Result, stored string, at *verdict.Pos, now string, pos *verdict.Pos) error {
	if stored != now {
		return fmt.Errorf("the result gives the reason %q, but the reason is %q", stored, now)
	}
	if !v.samePos(r, at, pos) {
		return fmt.Errorf("the result gives a wrong position of the violation")
	}
	return nil
}

// reason compares why it is a violation, and where.
func (v *verifier) reason(r *verdict.Result, e *verdict.Execution, want replay.Expect) error {
	found := engine.Violation{Class: want.Class, Edge: want.Edge, Goal: want.Goal, Witness: e.Witness}
	for kind, expected := range pipeline.Expected {
		if expected == want.Target {
			found.Kind = kind
		}
	}
	switch {
	case e.Question == verdict.StateRobustness || e.Question == verdict.DataRaces || e.Question == verdict.MemoryLeaks || e.Question == verdict.Robustness || found.Kind == 0:
		return nil // judged with the execution
	case r.Verdict == verdict.Unknown:
		return nil // observed, and something else is not decided
	}
	model, _ := memory.ParseModel(modelOf(r, e))
	var err error
	switch found.Kind {
	case engine.Deadlock:
		found.Waits, err = v.now.Waits(v.now.flat, model, e.Witness)
	case engine.NonTermination:
		found.Waits, err = pipeline.Loops(v.now.flat, model, e.Witness)
	}
	if err != nil {
		return err
	}
	one := v.now.Describe(&found)
	if e.Question == verdict.Linearizable { // the reason is about the history, which is computed again
		one.Reason = e.Reason
	}
	return v.said(r, e.Reason, e.Pos, one.Reason, one.Pos)
}

// attackWords compares what is said about an attack.
func (v *verifier) attackWords(r *verdict.Result, e *verdict.Execution) error {
	a := e.Attack
	now := pipeline.AttackAt(v.now.flat, a.Witness, a.StoreStep, a.LoadStep)
	if a.StoreText != now.StoreText || a.LoadText != now.LoadText || a.Free != now.Free || a.Action != now.Action {
		return fmt.Errorf("the result gives the attack %s; but the attack is %s", a, now)
	}
	if !v.samePos(r, a.Store, now.Store) || !v.samePos(r, a.Load, now.Load) {
		return fmt.Errorf("the result gives a wrong position of the store or load of the attack")
	}
	if len(r.Attacks) > 0 && a == &r.Attacks[0] && r.Question == verdict.Robustness {
		return v.said(r, r.Reason, r.Pos, now.String(), now.Store)
	}
	return nil
}

// triangleWords compares what is said about a triangular race.
func (v *verifier) triangleWords(r *verdict.Result, e *verdict.Execution) error {
	c := e.Triangle
	now := pipeline.TriangleAt(v.now.flat, c.Witness, c.StoreStep, c.LoadStep)
	if c.StoreText != now.StoreText || c.LoadText != now.LoadText || c.WriteText != now.WriteText {
		return fmt.Errorf("the result gives the race %s; but the race is %s", c, now)
	}
	if !v.samePos(r, c.Store, now.Store) || !v.samePos(r, c.Load, now.Load) || !v.samePos(r, c.Write, now.Write) {
		return fmt.Errorf("the result gives a wrong position of an access of the race")
	}
	if c == &r.Triangles[0] {
		return v.said(r, r.Reason, r.Pos, now.String(), now.Store)
	}
	return nil
}
