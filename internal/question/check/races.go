package check

import (
	"context"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/internal/trace"
	"fencepost/query"
	"fencepost/verdict"
)

// withRaces looks for data races first, and then asks the program's own questions. Which accesses race
// is the same in all executions with one trace, so one execution of each trace is enough.
func (q *question) withRaces(ctx context.Context) (*verdict.Result, error) {
	res, err := q.dataRaces(ctx)
	beyond := err == nil && res.Verdict == verdict.Unknown && res.Coverage.Beyond() != nil
	if err != nil || res.Verdict != verdict.Safe && !res.BoundedOnly && !beyond || q.Props.Empty() && !q.opt.Finals {
		return res, err
	}
	how, err := q.programQuestions(ctx)
	if err != nil {
		return nil, err
	}
	if how.Verdict != verdict.Unsafe { // else it names what is violated
		how.Question += ", " + verdict.DataRaces
	}
	pipeline.Join(how, res, Given(&q.opt))
	return how, nil
}

// dataRaces answers whether some execution has a data race by the definition of C11.
func (q *question) dataRaces(ctx context.Context) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var found *verdict.Violation
	var broken error
	how := smc.Options{SourceDPOR: q.opt.Algorithm == query.SourceDPOR}
	how.Unfinished, how.IdleRounds = true, 2
	how.Visit = func(w *verdict.Witness) {
		if found != nil || broken != nil {
			return
		}
		race, ok := trace.FindRace(q.flat, w)
		if !ok {
			return
		}
		found = &verdict.Violation{Witness: UntilRace(q.flat, w, race)}
		broken = pipeline.ReplayExecution(q.flat, q.model, w, replay.TargetExecution)
		found.Reason, found.Pos = RaceText(q.flat, found.Witness, race)
		cancel()
	}
	explorer := smc.New(how)
	out, err := q.visitAll(ctx, &explorer, &broken)
	if err != nil {
		return nil, err
	}
	if found == nil && out.Coverage.Beyond() != nil && q.Props.Empty() { // else the program's own questions show it
		if err := showReached(ctx, q, out); err != nil {
			return nil, err
		}
	}
	if found != nil {
		q.AddTexts(found.Witness)
	}
	return q.Conclude(&pipeline.Conclusion{
		Question: verdict.DataRaces, Model: q.model, Engine: explorer.Name, Outcome: out, Given: Given(&q.opt), Violation: found,
	}), nil
}

// visitAll runs an engine that visits executions. broken is the error of the visits.
func (q *question) visitAll(ctx context.Context, e *engine.Engine, broken *error) (*engine.Outcome, error) {
	out, err := pipeline.RunEngine(ctx, e, q.ExploreTask(q.flat, q.model, &q.opt.Options))
	if err == nil {
		err = *broken
	}
	return out, err
}

// showReached adds the execution that reaches a construct that is not supported to an outcome that
// found such a construct.
func showReached(ctx context.Context, q *question, out *engine.Outcome) error {
	_, met, err := pipeline.Reachable(ctx, q.Program, q.flat, q.model, &q.opt.Options)
	if err == nil && met != nil {
		out.Coverage.Unsupported = met.Coverage.Unsupported
	}
	return err
}

// CyclicReason is why a program is not robust where the traces were explored.
const CyclicReason = "an execution has a trace with a cycle"

// robustByTraces answers whether the program has a trace with a cycle under a model [AAAJLS15 §1]: it is
// robust if it has none.
func (q *question) robustByTraces(ctx context.Context) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &pipeline.Conclusion{Question: verdict.Robustness, Model: q.model, Engine: smc.Engine.Name, Given: Given(&q.opt)}
	flat, met, err := pipeline.Reachable(ctx, q.Program, q.flat, q.model, &q.opt.Options)
	if err != nil {
		return nil, err
	}
	if met != nil {
		c.Outcome = met
		return q.Conclude(c), nil
	}
	q.flat = flat
	var cyclic *verdict.Trace
	var broken error
	how := smc.Options{SourceDPOR: q.opt.Algorithm == query.SourceDPOR}
	how.Traces, how.Unfinished = true, true
	how.Visit = func(w *verdict.Witness) {
		if cyclic != nil || broken != nil {
			return
		}
		if tr := trace.New(q.flat, w); tr.Cycle() == nil {
			return
		}
		cyclic, broken = q.cyclic(w)
		cancel()
	}
	explorer := smc.New(how)
	out, err := q.visitAll(ctx, &explorer, &broken)
	if err != nil {
		return nil, err
	}
	c.Outcome = out
	if cyclic == nil && out.Unknown == "" && engine.StopsInside(q.flat) {
		out.Unknown = stopsInside
	}
	if cyclic != nil {
		c.Violation = &verdict.Violation{Reason: CyclicReason, Witness: cyclic.Witness, Cause: q.Cause(q.flat, q.model, cyclic.Witness)}
	}
	res := q.Conclude(c)
	res.Trace = cyclic
	return res, nil
}

// stopsInside is why traces do not show that a program is robust. An execution that stops inside a section is no trace of
// smc, though the section may have stored and loaded what closes a cycle.
const stopsInside = "a thread may stop inside an atomic section, and such executions have no trace; `robust` covers them"

// cyclic replays an execution and describes its trace.
func (q *question) cyclic(w *verdict.Witness) (*verdict.Trace, error) {
	model, err := replay.ParseModel(q.model.String())
	if err != nil {
		return nil, err
	}
	if err := pipeline.ReplayTrace(q.flat, model, w); err != nil {
		return nil, fmt.Errorf("an execution does not replay: %w", err)
	}
	q.AddTexts(w)
	return pipeline.DescribeTrace(q.flat, w, query.ByTrace), nil
}

// UntilRace cuts an execution off after the second access of its race, if that still shows the race.
func UntilRace(flat *ir.Program, w *verdict.Witness, race trace.Race) *verdict.Witness {
	cut := *w
	cut.Steps = w.Steps[:race.Second+1]
	if again, found := trace.FindRace(flat, &cut); !found || again != race {
		return w
	}
	return &cut
}

// RaceText returns a data race as a sentence, and the position of its second access.
func RaceText(flat *ir.Program, w *verdict.Witness, race trace.Race) (string, *verdict.Pos) {
	a, b := &w.Steps[race.First], &w.Steps[race.Second]
	return fmt.Sprintf("data race on %s: %s of %s (%s) and %s of %s are not ordered", raceLocation(flat, a, b),
		accessWord(flat, a), w.Threads[a.Thread], pipeline.PositionText(a), accessWord(flat, b), w.Threads[b.Thread]), b.Pos
}

// raceLocation names the memory that two steps access: the smaller part, if one of them is about a
// whole block.
func raceLocation(flat *ir.Program, a, b *verdict.Step) string {
	for _, st := range []*verdict.Step{b, a} {
		if st.Location != "" && !st.Free {
			return st.Location
		}
	}
	for _, st := range []*verdict.Step{b, a} {
		if st.Location != "" {
			return st.Location
		}
		if len(st.Accesses) > 0 {
			return flat.LocationName(st.Accesses[0].Addr, st.Accesses[0].Size)
		}
	}
	return b.Cell()
}

// accessWord says what a step that races does.
func accessWord(flat *ir.Program, st *verdict.Step) string {
	words := map[ir.OpKind]string{
		ir.Alloc: "the allocation", ir.Free: "the free", ir.Lock: "the lock", ir.TryLock: "the trylock", ir.Unlock: "the unlock",
		ir.CondWait: "the wait", ir.Signal: "the signal", ir.Broadcast: "the broadcast", ir.Barrier: "the barrier wait",
	}
	if _, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge)); ok && words[e.Op.Kind] != "" {
		return words[e.Op.Kind]
	}
	switch st.Kind {
	case verdict.StepLoad:
		return "the load"
	case verdict.StepStore:
		return "the store"
	default:
		return "the read-modify-write"
	}
}
