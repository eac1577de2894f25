package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/verdict"
)

// The criteria of robustness, weakest last: no triangular race implies equal
// happens-before relations, which imply equal final states.
const (
	CriterionTrace = "trace" // the happens-before relation of every execution is one of SC
	CriterionTRF   = "trf"   // no SC execution has a triangular race
	CriterionState = "state" // the final states are those of SC
)

// Questions of the criteria other than robustness proper.
const (
	TriangularRaces = verdict.TriangularRaces
	StateRobustness = verdict.StateRobustness
)

// criterion is how another criterion than the traces is decided, nil for those.
func (p *program) criterion(name string) func(context.Context, *ir.Program, Options) (*verdict.Result, error) {
	switch name {
	case "", CriterionTrace:
		return nil
	case CriterionTRF:
		return p.races
	case CriterionState:
		return p.states
	default:
		return func(context.Context, *ir.Program, Options) (*verdict.Result, error) {
			return nil, fmt.Errorf("unknown criterion %q", name)
		}
	}
}

// races answers whether the program is free of triangular races.
func (p *program) races(ctx context.Context, flat *ir.Program, opt Options) (*verdict.Result, error) {
	task := robustTask(p, flat, opt)
	task.Model = memory.SC
	out, err := robust.TRF.Run(ctx, task)
	if err != nil {
		return nil, err
	}
	res := p.criterionResult(TriangularRaces, memory.TSO, robust.TRF.Name, out)
	if !opt.KeepGoing && len(out.Violations) > 1 {
		out.Violations = out.Violations[:1]
	}
	for i := range out.Violations {
		race, err := p.race(flat, &out.Violations[i])
		if err != nil {
			return nil, fmt.Errorf("the witness of a race does not hold: %w", err)
		}
		res.Triangles = append(res.Triangles, *race)
	}
	switch {
	case len(res.Triangles) > 0:
		res.Verdict, res.Reason, res.Pos = verdict.Unsafe, res.Triangles[0].String(), res.Triangles[0].Store
		if opt.KeepGoing && out.Unknown != "" {
			res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0908", Message: "there may be further races: " + out.Unknown})
		}
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	default:
		holds(res, verdict.Safe, opt)
	}
	return res, nil
}

func (p *program) criterionResult(question verdict.Question, model memory.Model, engineName string, out *engine.Outcome) *verdict.Result {
	return &verdict.Result{
		Program: p.input.Name, Question: question, Model: model.String(), Engine: engineName,
		Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings,
	}
}

// race replays the witness of a triangular race, looks for the race in it, and
// describes it.
func (p *program) race(flat *ir.Program, v *engine.Violation) (*verdict.Triangle, error) {
	w := v.Witness
	if err := replay.Replay(flat, p.props, replay.SC, w, replay.Expect{Claim: replay.ClaimBeginning}); err != nil {
		return nil, err
	}
	if err := holdsRace(flat, w, v.StoreStep, v.LoadStep); err != nil {
		return nil, err
	}
	p.addTexts(w)
	return raceAt(flat, w, v.StoreStep, v.LoadStep), nil
}

// raceAt describes a race by its steps.
func raceAt(flat *ir.Program, w *verdict.Witness, store, load int) *verdict.Triangle {
	st, ld, wr := &w.Steps[store], &w.Steps[load], &w.Steps[len(w.Steps)-1]
	return &verdict.Triangle{
		Thread: w.Threads[st.Thread], Store: st.Pos, StoreText: storeText(st),
		Load: ld.Pos, LoadText: "then " + loadText(flat, ld),
		Other: w.Threads[wr.Thread], Write: wr.Pos, WriteText: writeText(flat, wr),
		Witness: w, StoreStep: store, LoadStep: load,
	}
}

// holdsRace checks that the last step of an SC execution races with the load: one
// thread runs alone from the store to the load without draining, then another
// thread's step, or the section it is in, touches what was read.
func holdsRace(flat *ir.Program, w *verdict.Witness, store, load int) error {
	last := len(w.Steps) - 1
	if store < 0 || store >= load || load >= last {
		return fmt.Errorf("store, load and write are not in order: steps %d, %d, %d", store, load, last)
	}
	ops := opsByEdge(flat)
	thread, other := w.Steps[store].Thread, w.Steps[last].Thread
	if w.Steps[store].Kind != verdict.StepStore || other == thread {
		return fmt.Errorf("step %d is no store, or step %d no other thread's", store, last)
	}
	for i := store + 1; i <= load; i++ {
		op := ops[ir.EdgeID(w.Steps[i].Edge)]
		if w.Steps[i].Thread != thread || op == nil {
			return fmt.Errorf("step %d is not one of the thread that stores", i)
		}
		if op.MustDrain() && op.Mutex != ir.RecursiveMutex {
			return fmt.Errorf("step %d drains", i)
		}
	}
	for i := load + 1; i <= last; i++ {
		if w.Steps[i].Thread != other {
			return fmt.Errorf("step %d comes between the load and the write", i)
		}
	}
	var stored []verdict.Access
	for i := store; i < load; i++ {
		if w.Steps[i].Kind == verdict.StepStore {
			stored = append(stored, touched(&w.Steps[i])...)
		}
	}
	read := notStored(touched(&w.Steps[load]), stored)
	if len(read) == 0 {
		return fmt.Errorf("the load reads only what its own thread has stored since step %d", store)
	}
	if !overlap(touched(&w.Steps[last]), read, true) {
		return fmt.Errorf("the last step does not write what was read")
	}
	return nil
}

// notStored is the bytes read that the thread has not stored itself, one by one.
func notStored(read, stored []verdict.Access) []verdict.Access {
	var out []verdict.Access
	for _, r := range read {
		for k := range r.Size {
			one := verdict.Access{Addr: r.Addr + uint64(k), Size: 1, Wrote: r.Wrote}
			if !overlap([]verdict.Access{one}, stored, false) {
				out = append(out, one)
			}
		}
	}
	return out
}

// touched is what a step reads and writes.
func touched(st *verdict.Step) []verdict.Access {
	list := slices.Clone(st.Accesses)
	switch st.Kind {
	case verdict.StepLoad:
		list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size})
	case verdict.StepStore:
		if !st.Free {
			list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size, Wrote: true})
		}
	case verdict.StepRMW:
		list = append(list, verdict.Access{Addr: st.Addr, Size: st.Size, Wrote: st.Wrote})
	}
	return list
}

// overlap reports whether two lists have a byte in common, and if so wanted, one
// that one of them writes.
func overlap(a, b []verdict.Access, writes bool) bool {
	for _, x := range a {
		for _, y := range b {
			if (x.Addr-y.Addr < uint64(y.Size) || y.Addr-x.Addr < uint64(x.Size)) && (!writes || x.Wrote || y.Wrote) {
				return true
			}
		}
	}
	return false
}

// states answers whether the final states under a model are those of SC. A failed
// check ends an execution before it has a final state, so one that fails under the
// model only counts as a state that SC does not have.
func (p *program) states(ctx context.Context, flat *ir.Program, opt Options) (*verdict.Result, error) {
	name := opt.CriterionModel
	if name == "" {
		name = memory.TSO.String()
	}
	model, ok := memory.ParseModel(name)
	if !ok || model == memory.SC {
		return nil, fmt.Errorf("state robustness against the memory model %q", name)
	}
	sc, err := p.finals(ctx, flat, memory.SC, opt, nil)
	if err != nil {
		return nil, err
	}
	if sc.Unknown != "" {
		res := p.criterionResult(StateRobustness, model, explicit.Engine.Name, sc)
		res.LeftOut = p.leftOut()
		res.Verdict, res.Reason = verdict.Unknown, "the final states under SC are not known: "+sc.Unknown
		return res, nil
	}
	known := map[string]bool{}
	for _, s := range sc.Finals {
		known[s] = true
	}
	out, err := p.finals(ctx, flat, model, opt, func(final string) bool { return !known[final] })
	if err != nil {
		return nil, err
	}
	res := p.criterionResult(StateRobustness, model, explicit.Engine.Name, out)
	res.LeftOut = p.leftOut()
	res.Stats.States += sc.Stats.States
	res.Stats.Transitions += sc.Stats.Transitions
	res.Stats.Seconds += sc.Stats.Seconds
	if !sc.Coverage.Exhaustive {
		res.Coverage.Exhaustive = false
		res.Coverage.Bounds = append(slices.Clone(sc.Coverage.Bounds), res.Coverage.Bounds...)
	}
	return res, p.concludeStates(flat, res, sc, out, model, opt)
}

// leftOut is what final states do not show of the program's memory.
func (p *program) leftOut() []string {
	if p.language != "c" || !p.props.Whole {
		return nil
	}
	return []string{"freed blocks", "automatic and thread-local objects, whose functions and threads have ended"}
}

// finals collects the final states under a model.
func (p *program) finals(ctx context.Context, flat *ir.Program, model memory.Model, opt Options, want func(string) bool) (*engine.Outcome, error) {
	props := *p.props
	props.Goals, props.Final, props.Deadlock = nil, nil, false // a failed check is an end, too
	task := &engine.Task{
		Program: flat, Props: &props, Model: model, Finals: true, KeepGoing: true, WitnessFinal: want, NoReduction: opt.NoReduction,
		Limits: engine.Limits{Memory: opt.Memory, Buffer: opt.buffer(), Workers: opt.Workers},
	}
	if task.Limits.Workers <= 0 {
		task.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Progress != nil {
		task.Progress = func(g engine.Progress) {
			opt.Progress(Progress{Model: model.String(), States: g.States, Waiting: g.Waiting, Depth: g.Depth, Elapsed: g.Elapsed})
		}
	}
	out, _, err := allFinals(ctx, task, opt)
	return out, err
}

// newFinalState begins the reason of a program that is not state-robust.
const newFinalState = "a final state that SC does not have: "

func (p *program) concludeStates(flat *ir.Program, res *verdict.Result, sc, out *engine.Outcome, model memory.Model, opt Options) error {
	rm, err := replay.ParseModel(model.String())
	if err != nil {
		return err
	}
	fails := map[failure]bool{}
	for i := range sc.Violations {
		fails[failureOf(&sc.Violations[i])] = true
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		if v.Kind == engine.CheckFailed && !fails[failureOf(v)] && res.Witness == nil {
			if err := p.replay(flat, model, v); err != nil {
				return fmt.Errorf("the witness of a failed check does not replay: %w", err)
			}
			p.addTexts(v.Witness)
			one := p.describe(v, out)
			res.Verdict, res.Witness, res.Pos = verdict.Unsafe, v.Witness, one.Pos
			res.Reason = "an error that SC does not have: " + one.Reason
		}
		if v.Kind != engine.FinalReached || res.Witness != nil {
			continue
		}
		if err := replay.Replay(flat, p.props, rm, v.Witness, replay.Expect{Claim: replay.ClaimState, Final: v.Final}); err != nil {
			return fmt.Errorf("the witness of a final state does not replay: %w", err)
		}
		p.addTexts(v.Witness)
		res.Verdict, res.Witness = verdict.Unsafe, v.Witness
		res.Reason = newFinalState + v.Final
	}
	switch {
	case res.Verdict == verdict.Unsafe && !sc.Coverage.Exhaustive:
		res.Verdict, res.Reason = verdict.Unknown, "the final states under SC are known only within bounds; "+res.Reason
	case res.Verdict == verdict.Unsafe:
	case out.Unknown != "":
		res.Verdict, res.Reason = verdict.Unknown, out.Unknown
	case !p.props.ShowsFinals():
		res.Verdict, res.Reason = verdict.Unknown, "the program has no variable to look at in final states"
	case len(sc.Finals) == 0 && len(out.Finals) == 0:
		res.Verdict, res.Reason = verdict.Unknown, "no execution comes to an end, so there are no final states"
	default:
		holds(res, verdict.Safe, opt)
	}
	return nil
}

// failure is a check that fails.
type failure struct {
	class ir.CheckClass
	edge  ir.EdgeID
}

// failureOf is the check that fails. A store that fails when it reaches memory fails
// where it was issued: under SC the two are one.
func failureOf(v *engine.Violation) failure {
	f := failure{v.Class, v.Edge}
	if w := v.Witness; v.Edge == ir.NoEdge && w != nil && len(w.Steps) > 0 {
		if of := w.Steps[len(w.Steps)-1].Of; of >= 0 {
			f.edge = ir.EdgeID(w.Steps[of].Edge)
		}
	}
	return f
}

// opsByEdge finds operations by their edges.
func opsByEdge(flat *ir.Program) map[ir.EdgeID]*ir.Op {
	ops := map[ir.EdgeID]*ir.Op{}
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	return ops
}

// storeText is what a store does: x = 1, or free of a block.
func storeText(st *verdict.Step) string {
	if st.Free {
		return "free of " + st.Cell()
	}
	return fmt.Sprintf("%s = %s", st.Cell(), st.ValueText())
}

// loadText is what a step that counts as a load does, with its verb.
func loadText(flat *ir.Program, st *verdict.Step) string {
	if st.Kind == verdict.StepLoad {
		return "loads " + st.Cell()
	}
	return "does " + actionText(flat, st)
}

// writeText is what a step that writes does, as after "may".
func writeText(flat *ir.Program, st *verdict.Step) string {
	if st.Kind == verdict.StepStore && !st.Free {
		return "write " + st.Cell()
	}
	return "do " + actionText(flat, st)
}

// actionText is what a step that is no plain access does, such as "its signal of c".
func actionText(flat *ir.Program, st *verdict.Step) string {
	_, e, ok := flat.EdgeByID(ir.EdgeID(st.Edge))
	switch {
	case st.Kind == verdict.StepWake:
		return "its wake-up"
	case !ok:
		return "its step"
	case e.Op.Kind == ir.Alloc:
		return "its allocation"
	case st.Location != "":
		return fmt.Sprintf("its %s of %s", e.Op.Kind, st.Cell())
	case len(st.Accesses) > 0:
		return fmt.Sprintf("its %s of %s", e.Op.Kind, flat.LocationName(st.Accesses[0].Addr, st.Accesses[0].Size))
	default:
		return "its " + e.Op.Kind.String()
	}
}
