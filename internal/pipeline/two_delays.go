package pipeline

import (
	"context"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/engine/robust"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Where one delaying thread may not be enough. The search for attacks has one thread that delays stores, and says where
// this proves nothing (docs/engines/robust.md). There all traces of the program are explored: a trace with a cycle is an
// attack, of however many threads, and if there is none, the program is robust [AAAJLS15 §1].

// OneDelayOnly reports whether the search for attacks found none, and only whether one delaying thread is enough is open.
func OneDelayOnly(out *engine.Outcome) bool { return robust.OneDelayOnly(out) }

// TwoDelays decides robustness where the search for attacks, whose outcome is given, could not since one delaying thread
// may not be enough. The task is an exploration. TwoDelays returns the outcome of the exploration of all traces, and its
// engine; or the given outcome and nil if the search has decided, or the exploration does not decide either: then the
// reason has both.
func TwoDelays(ctx context.Context, task *engine.Task, out *engine.Outcome) (*engine.Outcome, *engine.Engine, error) {
	if !robust.OneDelayOnly(out) || ctx.Err() != nil {
		return out, nil, nil
	}
	flat := task.Program
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var cyclic *verdict.Witness
	explorer := smc.New(smc.Options{Traces: true, Unfinished: true, Visit: func(w *verdict.Witness) {
		if cyclic == nil && trace.New(flat, w).Cycle() != nil {
			cyclic = w
			cancel()
		}
	}})
	unknown := func(why string) (*engine.Outcome, *engine.Engine, error) {
		both := *out
		both.Unknown += "; and the traces of the program do not show it: " + why
		return &both, nil, nil
	}
	if err := explorer.Supports(task); err != nil {
		return unknown(err.Error())
	}
	all, err := RunEngine(ctx, &explorer, task)
	switch {
	case err != nil:
		return nil, nil, err
	case cyclic != nil:
		v, err := delayIn(flat, cyclic)
		if err != nil {
			return nil, nil, err
		}
		return &engine.Outcome{Violations: []engine.Violation{*v}, Coverage: all.Coverage, Stats: all.Stats}, &explorer, nil
	case all.Unknown != "":
		return unknown(all.Unknown)
	case !all.Coverage.Exhaustive:
		return unknown("they were explored up to a number of rounds of loops")
	case engine.StopsInside(flat):
		return unknown("a thread may stop inside an atomic section")
	default:
		return &engine.Outcome{Coverage: all.Coverage, Stats: all.Stats}, &explorer, nil // a check that fails only ends its thread
	}
}

// delayIn finds an attack in an execution with a cycle. All edges of a cycle but those of program order lead to what
// happens, or reaches memory, later. So in some part of the cycle that follows program order, the first access comes
// later in this sense than the last: it is a store that was delayed past the last.
func delayIn(flat *ir.Program, w *verdict.Witness) (*engine.Violation, error) {
	waiting := 0
	for i := range w.Steps {
		switch st := &w.Steps[i]; {
		case st.Kind == verdict.StepStore && st.Buffered:
			waiting++
		case st.Kind == verdict.StepFlush:
			waiting--
		}
	}
	tr := trace.New(flat, w)
	for s := range w.Steps {
		st := &w.Steps[s]
		if st.Kind != verdict.StepStore || !st.Buffered {
			continue
		}
		for l := s + 1; l < len(w.Steps); l++ {
			ld := &w.Steps[l]
			if ld.Thread != st.Thread || ld.Edge < 0 || ld.Kind == verdict.StepFlush || tr.EventOf(l) < 0 || tr.EventOf(l) == tr.EventOf(s) {
				continue
			}
			if _, _, ok := trace.Delayed(w, ir.EdgeID(st.Edge), ir.EdgeID(ld.Edge), s, l); !ok || tr.CycleThrough(tr.EventOf(s), tr.EventOf(l)) == nil {
				continue
			}
			v := &engine.Violation{Kind: engine.Attack, StoreStep: s, LoadStep: l, Witness: w, Class: failsLate(w), Open: waiting > 0}
			v.Edge, v.Load = ir.EdgeID(st.Edge), ir.EdgeID(ld.Edge)
			return v, nil
		}
	}
	return nil, fmt.Errorf("no store is delayed in an execution with a cycle")
}

// failsLate returns the check that fails when a store or free reaches memory after its block was freed, if an execution
// ends so.
func failsLate(w *verdict.Witness) ir.CheckClass {
	last := &w.Steps[len(w.Steps)-1]
	switch {
	case last.Kind != verdict.StepFail || last.Of < 0:
		return ir.CheckUnset
	case w.Steps[last.Of].Free:
		return ir.DoubleFree
	default:
		return ir.UseAfterFree
	}
}
