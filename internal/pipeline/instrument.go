package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// The paper's way to robustness: an instrumented program for every attack, and the SC
// engine on each [BDM13 Thm 3]. The attacks are independent of each other and are
// asked side by side.

// The methods of Robust.
const (
	MethodSearch     = "search"     // one search over all attacks
	MethodInstrument = "instrument" // one instrumented program per attack
)

// robustEngine is the engine for the method asked for.
func robustEngine(opt Options) engine.Engine {
	switch opt.Method {
	case "", MethodSearch:
		return robust.Engine
	case MethodInstrument:
		return Instrument
	default:
		panic(fmt.Sprintf("BUG: unknown method %q", opt.Method))
	}
}

// Instrument decides robustness by instrumentation.
var Instrument = engine.Engine{
	Name:   "instrument",
	Doc:    "robustness against TSO by one instrumented program per attack",
	Papers: []string{"BDM13"},
	Supports: func(t *engine.Task) error {
		if _, err := newInstrumenter(t.Program, transform.InstrumentOptions{}); err != nil {
			return err
		}
		return engine.TriesInputs("the search of the instrumented programs", t.Program)
	},
	Run: runInstrumented,
}

func newInstrumenter(p *ir.Program, opt transform.InstrumentOptions) (*transform.Instrumenter, error) {
	in, err := transform.NewInstrumenter(p, opt)
	return in, unsupportedPass(err)
}

// unsupportedPass is what an engine says of something a pass does not take.
func unsupportedPass(err error) error {
	u := (*transform.Unsupported)(nil)
	if !errors.As(err, &u) {
		return err
	}
	out := &engine.Unsupported{What: u.What}
	if u.Pos.IsValid() {
		pos := position(u.Pos)
		out.Pos = &pos
	}
	return out
}

func runInstrumented(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	start := time.Now()
	in, err := newInstrumenter(task.Program, transform.InstrumentOptions{})
	if err != nil {
		return nil, err
	}
	q := &attackQueue{ctx: ctx, task: task, in: in, attacks: transform.Attacks(task.Program).Attacks, start: start}
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

// attackQueue is the attacks of a program and what was found.
type attackQueue struct {
	ctx     context.Context
	task    *engine.Task
	in      *transform.Instrumenter
	attacks []transform.Attack
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
		done := i >= q.last || q.err != nil
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
func (q *attackQueue) ask(a transform.Attack) (*engine.Outcome, error) {
	inst, err := q.in.Attack(a)
	if err != nil {
		return nil, err
	}
	task := &engine.Task{
		Program: inst.Program, Props: inst.Props, Model: memory.SC,
		Limits: engine.Limits{Workers: 1, Memory: q.task.Limits.Memory / int64(max(1, q.task.Limits.Workers))},
	}
	if q.task.Progress != nil {
		task.Progress = func(g engine.Progress) {
			q.mu.Lock() // it is called by one goroutine at a time
			defer q.mu.Unlock()
			g.States += q.states
			g.Elapsed = time.Since(q.start)
			q.task.Progress(g)
		}
	}
	out, err := explicit.Engine.Run(q.ctx, task)
	if err != nil {
		return nil, err
	}
	for i := range out.Violations {
		v := &out.Violations[i]
		if v.Kind != engine.GoalReached {
			return nil, fmt.Errorf("an instrumented program does something other than reach its goal: %s", v.Kind)
		}
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

// merge makes one outcome of all.
func (q *attackQueue) merge() *engine.Outcome {
	out := &engine.Outcome{Coverage: verdict.Coverage{Exhaustive: true}}
	bounds := map[string]bool{}
	for i, a := range q.answers[:q.last] {
		if a == nil {
			out.Unknown = fmt.Sprintf("attack %d of %d was not looked at", i+1, len(q.attacks))
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

// projectAttack turns an execution of an instrumented program into a TSO execution
// of the original [BDM13 Thm 2]: what stands for nothing is left out, everybody's
// stores reach memory at once, except the attacker's from the delayed one on,
// which do so at the end.
func projectAttack(p *ir.Program, inst *transform.Instrumented, a transform.Attack, w *verdict.Witness) (*verdict.Witness, error) {
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

// ShowInstrumented prints the instrumented program of an attack, numbered from 1,
// with a list of all attacks in front of it.
func ShowInstrumented(in Input, attack int, opt Options) (text string, diags []verdict.Diagnostic, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)

	p := load(context.Background(), in, opt)
	if !p.ok() {
		return "", p.diags, nil
	}
	stage = "passes"
	flat := p.flat(opt)
	if flat == nil {
		return "", p.diags, nil
	}
	if d, refused := p.unboundedThreads(flat); refused {
		return "", append(p.diags, d), nil
	}
	inst, attacks, d := p.instrumentAttack(flat, attack, transform.InstrumentOptions{})
	if d != nil {
		return "", append(p.diags, *d), nil
	}
	var b strings.Builder
	for i, a := range attacks {
		this := ""
		if i+1 == attack {
			this = " (this one)"
		}
		fmt.Fprintf(&b, "# attack %d%s: %s\n", i+1, this, describeAttack(flat, a))
	}
	for _, g := range inst.Props.Goals {
		at := g.At[0]
		name := inst.Program.ThreadFunc(at.Thread).Locs[at.Locs[0]].Name
		fmt.Fprintf(&b, "# feasible if thread %s reaches %s under SC\n", inst.Program.Threads[at.Thread].Name, name)
	}
	b.WriteString(ir.Print(inst.Program))
	return b.String(), p.diags, nil
}

// instrumentAttack makes the instrumented program of the attack with a number.
func (p *program) instrumentAttack(flat *ir.Program, number int, opt transform.InstrumentOptions) (*transform.Instrumented, []transform.Attack, *verdict.Diagnostic) {
	in, err := newInstrumenter(flat, opt)
	if err != nil {
		d := p.unsupported(err)
		return nil, nil, &d
	}
	attacks := transform.Attacks(flat).Attacks
	if number < 1 || number > len(attacks) {
		d := &verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0931", Pos: verdict.Pos{File: p.input.Name},
			Message: fmt.Sprintf("there is no attack %d", number),
			Notes:   []string{fmt.Sprintf("%d attack(s) cannot be ruled out by fences and addresses", len(attacks))},
		}
		return nil, nil, d
	}
	inst, err := in.Attack(attacks[number-1])
	if err != nil {
		d := p.unsupported(unsupportedPass(err))
		return nil, nil, &d
	}
	return inst, attacks, nil
}

// describeAttack names an attack for people.
func describeAttack(flat *ir.Program, a transform.Attack) string {
	name := func(id ir.EdgeID) string {
		f, e, _ := flat.EdgeByID(id)
		text := flat.FormatOp(f, &e.Op)
		if pos := engine.Pos(e); pos != nil {
			text += fmt.Sprintf(" at %s", pos)
		}
		return text
	}
	return fmt.Sprintf("%s delays %s past %s", flat.Threads[a.Thread].Name, name(a.Store), name(a.Load))
}
