package pipeline

import (
	"context"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Asked says how a program's questions are asked: its assertions, goals, final condition and deadlock.
type Asked struct {
	query.CheckOptions
	Given Given // the bounds that the user set
}

// Asking is one question to one engine, and its answer.
type Asking struct {
	Engine *engine.Engine
	Model  memory.Model // the question is about this model
	Under  memory.Model // the engine runs under this model: Model, or SC for a robust program
	States int64        // limit, 0: none
	Share  func() int64 // the part of the memory limit, nil: all of it
	// AtBound is the task's, nil: none.
	AtBound func() bool

	Cut    bool // the engine did not finish
	Result *verdict.Result
	Err    error
}

// Take takes over the answer to the same question. What was asked may be read meanwhile.
func (a *Asking) Take(from *Asking) { a.Cut, a.Result, a.Err = from.Cut, from.Result, from.Err }

// Task makes the task of a search under a model, with no more than the limits of the user.
func (p *Program) Task(flat *ir.Program, model memory.Model, opt *query.Options) *engine.Task {
	return &engine.Task{
		Program: flat, Props: p.Props, Model: model, NoReduction: opt.NoReduction,
		Limits:   engine.Limits{Memory: opt.Memory, Buffer: opt.BufferBound(), Unroll: opt.UnrollBound(), Workers: opt.WorkerCount()},
		Progress: reportProgress(opt, model, model),
	}
}

// QuestionTask makes the task of the program's own questions under a model.
func (p *Program) QuestionTask(flat *ir.Program, model memory.Model, how *Asked) *engine.Task {
	task := p.Task(flat, model, &how.Options)
	task.Finals = how.Finals
	if how.Finals && how.Endings {
		task.WitnessFinal = pickEndings()
	}
	// An observation must not hide a violation that is further away. Under c11 data races are always asked about.
	task.KeepGoing = how.KeepGoing || how.Finals || p.Observes() && (p.AsksMore() || memory.HasC11 && model == memory.C11)
	return task
}

// Ask asks an engine the program's own questions, replays what it found and states the verdict.
func (p *Program) Ask(ctx context.Context, a *Asking, flat *ir.Program, how Asked) {
	defer Recover(a, &a.Err)
	task := p.QuestionTask(flat, a.Under, &how)
	task.Limits.States, task.Limits.Share = a.States, a.Share
	task.AtBound = a.AtBound
	task.Progress = reportProgress(&how.Options, a.Model, a.Under)
	out, err := RunEngine(ctx, a.Engine, task)
	if err != nil {
		a.Err = err
		return
	}
	a.Cut = out.Unknown != ""
	if !a.Cut || len(out.Violations) > 0 {
		supervise.Answered(ctx)
	}
	endings, err := takeEndings(ctx, p, a, task, out)
	if err != nil {
		a.Err = err
		return
	}
	for i := range out.Violations {
		if a.Err = p.prepare(ctx, a, task, &out.Violations[i]); a.Err != nil {
			return
		}
	}
	if a.Err = showReached(ctx, p, a, task, out); a.Err != nil {
		return
	}
	a.Result = p.concludeAsking(a, flat, out, &how)
	a.Result.Endings = endings
}

// Recover turns a panic of an engine into an error. The engine may run on a goroutine of its own.
func Recover(a *Asking, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("engine %s under %s: %s", a.Engine.Name, a.Under, supervise.Broken(r))
	}
}

// prepare makes a violation ready to be shown: with a short witness, under the model that was asked
// about, and replayed.
func (p *Program) prepare(ctx context.Context, a *Asking, task *engine.Task, v *engine.Violation) error {
	if a.Model != memory.C11 { // a graph has no states to rearrange
		v.Witness = shorten.Witness(ctx, task, v)
	}
	if a.Under != a.Model {
		asking := *task
		asking.Model = a.Model
		w, err := shorten.FromSC(&asking, v)
		if err != nil {
			return fmt.Errorf("the witness of a violation under %s is none under %s: %w", a.Under, a.Model, err)
		}
		v.Witness = w
	}
	if err := p.Replay(task.Program, a.Model, v); err != nil {
		return fmt.Errorf("the witness of a violation does not replay: %w", err)
	}
	p.AddTexts(v.Witness)
	var err error
	switch v.Kind {
	case engine.Deadlock:
		v.Waits, err = p.Waits(task.Program, a.Model, v.Witness)
	case engine.NonTermination:
		v.Waits, err = Loops(task.Program, a.Model, v.Witness)
	}
	return err
}

// Waits says which threads wait at the end of an execution, and in which statements.
func (p *Program) Waits(flat *ir.Program, model memory.Model, w *verdict.Witness) (string, error) {
	all, err := shorten.Blocked(flat, model, w)
	var parts []string
	for _, one := range all {
		text := fmt.Sprintf("%s waits in %s", one.Thread, one.Edge.Op.Kind)
		if f := p.Files[one.Edge.Pos.File]; f != nil && one.Edge.Pos.Line > 0 {
			pos := Position(one.Edge.Pos)
			text = fmt.Sprintf("%s waits in %s (%s)", one.Thread, strings.Join(strings.Fields(f.Slice(one.Edge.Pos)), " "), newNarrator(w).lineOf(&pos))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", "), err
}

// Observes reports whether the final condition asks for an observation.
func (p *Program) Observes() bool {
	return p.Props.Final != nil && p.Props.Final.Quantifier == property.Exists
}

// AsksMore reports whether there is something beside the final condition.
func (p *Program) AsksMore() bool {
	return p.Props.Checks || len(p.Props.Goals) > 0 || p.Props.Deadlock || p.Props.Endless
}

// Expected maps violations to what replay has to find.
var Expected = map[engine.ViolationKind]replay.Target{
	engine.CheckFailed:   replay.TargetCheck,
	engine.GoalReached:   replay.TargetGoal,
	engine.FinalViolated: replay.TargetFinal,
	engine.Deadlock:      replay.TargetDeadlock,

	engine.NonTermination: replay.TargetEndless,
	engine.DataRace:       replay.TargetDataRace,
	engine.NotSC:          replay.TargetNotSC,
}

// Replay runs a witness through the independent interpreter. A witness that leads to endless loops gets a
// round of them first.
func (p *Program) Replay(flat *ir.Program, model memory.Model, v *engine.Violation) error {
	m, err := replay.ParseModel(model.String())
	if err != nil {
		return err
	}
	if v.Kind == engine.NonTermination && v.Witness.Repeats == 0 {
		if v.Witness, err = shorten.AddRounds(flat, model, v.Witness); err != nil {
			return err
		}
	}
	return replay.Replay(flat, p.Props, m, v.Witness, replay.Expect{
		Target: Expected[v.Kind], Class: v.Class, Edge: v.Edge, Goal: v.Goal, DataRace: [2]int{v.StoreStep, v.LoadStep},
	})
}

// ReplayExecution runs an execution that violates nothing through the independent interpreter. target
// says how it ends.
func ReplayExecution(flat *ir.Program, model memory.Model, w *verdict.Witness, target replay.Target) error {
	m, err := replay.ParseModel(model.String())
	if err != nil {
		return err
	}
	if err := replay.Replay(flat, &property.Set{}, m, w, replay.Expect{Target: target}); err != nil {
		return fmt.Errorf("an execution does not replay: %w", err)
	}
	return nil
}

// AddTexts gives every step the instruction as the user wrote it, and its position in the source.
func (p *Program) AddTexts(w *verdict.Witness) {
	if p.Locate != nil {
		p.Locate(w)
	}
	texts := map[verdict.Pos]string{} // many steps of a long expression have its text
	for i := range w.Steps {
		st := &w.Steps[i]
		if st.Kind == verdict.StepFlush || st.Pos == nil || p.Files[st.Pos.File] == nil {
			continue
		}
		text, known := texts[*st.Pos]
		if !known {
			text = p.TextAt(st.Pos)
			texts[*st.Pos] = text
		}
		st.Text = text
	}
}

// RobustTask makes the task of a search for attacks on robustness against a model. Buffers have no bound
// there.
func (p *Program) RobustTask(flat *ir.Program, model memory.Model, opt *query.Options) *engine.Task {
	task := p.Task(flat, model, opt)
	task.Limits.Buffer, task.Limits.Unroll = 0, 0
	return task
}

// ExploreTask makes the task of an exploration of executions that asks nothing: a failing check ends
// its thread.
func (p *Program) ExploreTask(flat *ir.Program, model memory.Model, opt *query.Options) *engine.Task {
	task := p.Task(flat, model, opt)
	task.Props, task.KeepGoing = &property.Set{}, true
	return task
}

// ParseModel returns the memory model with a name.
func ParseModel(name query.Model) (memory.Model, error) {
	m, ok := memory.ParseModel(string(name))
	if !ok || m == memory.C11 {
		return m, &query.OptionError{Option: "memory model", Value: string(name), Want: "sc, tso or pso"}
	}
	return m, nil
}

// UnderEach answers a question under each model.
func UnderEach(models query.Models, answer func(query.Model, memory.Model) (*verdict.Result, error)) ([]verdict.Result, error) {
	var results []verdict.Result
	for _, name := range models.OrTSO() {
		model, err := ParseAnyModel(name)
		if err != nil {
			return nil, err
		}
		res, err := answer(name, model)
		if err != nil {
			return nil, err
		}
		results = append(results, *res)
	}
	return results, nil
}

// ParseAnyModel returns the memory model with a name, also C11's own.
func ParseAnyModel(name query.Model) (memory.Model, error) {
	if m, _ := memory.ParseModel(string(name)); m == memory.C11 {
		return m, nil
	}
	return ParseModel(name)
}
