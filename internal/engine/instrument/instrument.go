package instrument

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

// The attacks are independent of each other, so several workers ask about them at the same time.

// New returns the engine, given the engine for SC questions.
func New(sc engine.Engine) engine.Engine {
	return engine.Engine{
		Name:   "instrument",
		Doc:    "robustness against TSO by one instrumented program per attack",
		Papers: []string{"BDM13"},
		Supports: func(t *engine.Task) error {
			if err := t.NoExtras("instrument"); err != nil {
				return err
			}
			if _, err := NewInstrumenter(t.Program, Options{}); err != nil {
				return err
			}
			return engine.TriesInputs("the search of the instrumented programs", t.Program)
		},
		Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) { return run(ctx, sc, task) },
	}
}

// run asks about every attack.
func run(ctx context.Context, sc engine.Engine, task *engine.Task) (*engine.Outcome, error) {
	start := time.Now()
	in, err := NewInstrumenter(task.Program, Options{})
	if err != nil {
		return nil, err
	}
	list, err := Attacks(ctx, task.Program)
	if err != nil {
		return &engine.Outcome{Unknown: timeOver(ctx) + " while attacks were listed"}, nil
	}
	q := &attackQueue{ctx: ctx, sc: sc.Run, task: task, in: in, attacks: list.Attacks, start: start}
	q.answers = make([]*engine.Outcome, len(q.attacks))
	q.last = len(q.attacks)
	var wg sync.WaitGroup
	for range max(1, task.Limits.Workers) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q.work()
		}()
	}
	wg.Wait()
	if q.err != nil {
		return nil, q.err
	}
	out := q.merge()
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// timeOver says how the context ended.
func timeOver(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "time limit reached"
	}
	return "interrupted"
}

// attackQueue has the attacks of a program and what was found about each.
type attackQueue struct {
	ctx     context.Context
	sc      func(context.Context, *engine.Task) (*engine.Outcome, error)
	task    *engine.Task
	in      *Instrumenter
	attacks []Attack
	start   time.Time

	mu      sync.Mutex
	next    int
	last    int // attacks from here on need no answer
	states  int64
	answers []*engine.Outcome
	err     error
}

func (q *attackQueue) work() {
	defer func() {
		if r := recover(); r != nil {
			q.mu.Lock()
			q.err = fmt.Errorf("%v", r)
			q.mu.Unlock()
		}
	}()
	for {
		q.mu.Lock()
		i := q.next
		q.next++
		done := i >= q.last || q.err != nil || q.ctx.Err() != nil && i > 0
		q.mu.Unlock()
		if done {
			return
		}
		out, err := q.ask(q.attacks[i])
		q.mu.Lock()
		if err != nil {
			q.err = err
		} else {
			q.answers[i] = out
			q.states += out.Stats.States
			if len(out.Violations) > 0 && !q.task.KeepGoing {
				q.last = min(q.last, i+1)
			}
		}
		q.mu.Unlock()
	}
}

// ask answers whether an attack is feasible.
func (q *attackQueue) ask(a Attack) (*engine.Outcome, error) {
	inst, err := q.in.Attack(a)
	if err != nil {
		return nil, err
	}
	task := &engine.Task{
		Program: inst.Program, Props: inst.Props, Model: memory.SC,
		Limits: engine.Limits{Workers: 1, Memory: q.task.Limits.Memory / int64(max(1, q.task.Limits.Workers))},
	}
	if q.task.Progress != nil {
		task.Progress = func(g query.Progress) {
			q.mu.Lock() // one goroutine at a time calls Progress
			defer q.mu.Unlock()
			g.States += q.states
			g.Elapsed = time.Since(q.start)
			q.task.Progress(g)
		}
	}
	out, err := q.sc(q.ctx, task)
	if err != nil {
		return nil, err
	}
	// An error of the program ends its execution. It can also end the search before the goal is found.
	fails := slices.ContainsFunc(out.Violations, func(v engine.Violation) bool { return v.Kind != engine.GoalReached })
	out.Violations = slices.DeleteFunc(out.Violations, func(v engine.Violation) bool { return v.Kind != engine.GoalReached })
	if fails && len(out.Violations) == 0 && out.Unknown == "" {
		out.Unknown = "the program fails while it is instrumented, as by the use of a mutex that was overwritten"
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		w, err := projectAttack(q.task.Program, inst, a, v.Witness)
		if err != nil {
			return nil, fmt.Errorf("the execution of an instrumented program is none of the program's: %w", err)
		}
		*v = engine.Violation{Kind: engine.Attack, Edge: a.Store, Load: a.Load, Witness: w}
	}
	if len(out.Violations) > 1 { // one goal per helper
		out.Violations = out.Violations[:1]
	}
	return out, nil
}

// merge makes one outcome of the answers.
func (q *attackQueue) merge() *engine.Outcome {
	out := &engine.Outcome{Coverage: verdict.Coverage{Exhaustive: true}}
	bounds := map[string]bool{}
	for i, a := range q.answers[:q.last] {
		if a == nil {
			if out.Unknown == "" {
				out.Unknown = fmt.Sprintf("attack %d of %d was not looked at", i+1, len(q.attacks))
			}
			continue
		}
		out.Violations = append(out.Violations, a.Violations...)
		out.Stats.States += a.Stats.States
		out.Stats.Transitions += a.Stats.Transitions
		out.Stats.Depth = max(out.Stats.Depth, a.Stats.Depth)
		out.Stats.Bytes = max(out.Stats.Bytes, a.Stats.Bytes)
		if out.Unknown == "" && a.Unknown != "" {
			out.Unknown = fmt.Sprintf("attack %d of %d: %s", i+1, len(q.attacks), a.Unknown)
		}
		out.Coverage.Exhaustive = out.Coverage.Exhaustive && (a.Coverage.Exhaustive || len(a.Violations) > 0)
		for _, b := range a.Coverage.Bounds {
			if key := fmt.Sprint(b.Name, b.Pos); !bounds[key] {
				bounds[key] = true
				out.Coverage.Bounds = append(out.Coverage.Bounds, b)
			}
		}
	}
	out.Coverage.Exhaustive = out.Coverage.Exhaustive && out.Unknown == "" && len(out.Coverage.Bounds) == 0
	return out
}

// projectAttack turns an execution of an instrumented program into a TSO execution of the program
// [BDM13 Thm 2]. Steps that the instrumentation added are left out. All stores reach memory at once,
// except those of the attacker from the delayed one on, which reach memory at the end.
func projectAttack(p *ir.Program, inst *Instrumented, a Attack, w *verdict.Witness) (*verdict.Witness, error) {
	y := memory.New(p, memory.TSO, memory.Options{})
	r := engine.NewRecorder(y)
	flush := func(t ir.ThreadID) {
		for len(r.State().Buffer(t)) > 0 {
			r.Step(memory.Step{Thread: int32(t), Kind: memory.Flush})
		}
	}
	delaying := false
	for i := range w.Steps {
		st := &w.Steps[i]
		of := ir.NoEdge
		if st.Edge >= 0 {
			of = inst.Of[st.Edge]
		}
		if of == ir.NoEdge {
			continue
		}
		delaying = delaying || inst.Delays[ir.EdgeID(st.Edge)]
		if err := takeEdge(y, r, st.Thread, of, st.Choice); err != nil {
			return nil, err
		}
		if t := ir.ThreadID(st.Thread); t != a.Thread || !delaying {
			flush(t)
		}
	}
	flush(a.Thread)
	return r.Witness(), nil
}

// takeEdge records the step of a thread along an edge.
func takeEdge(y *memory.System, r *engine.Recorder, thread int, edge ir.EdgeID, choice int64) error {
	for _, st := range y.EnabledEdges(r.State(), thread, nil) {
		if y.EdgeOf(r.State(), st).ID == edge && st.Choice == choice {
			r.Step(st)
			return nil
		}
	}
	return fmt.Errorf("thread %s cannot take edge %d after %d steps", y.Prog.Threads[thread].Name, edge, len(r.Witness().Steps))
}
