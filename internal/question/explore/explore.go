package explore

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// Run returns the state that a run leads to. A run that is not possible is a *query.RunError.
func Run(ctx context.Context, in query.Input, opt query.ExploreOptions) (*verdict.State, []verdict.Diagnostic, error) {
	run := pipeline.Open(in)
	var state *verdict.State
	var refused *query.RunError
	err := run.Do(ctx, func(ctx context.Context) error {
		w, impossible, err := openRun(ctx, run, &opt)
		if refused = impossible; refused != nil || err != nil {
			return err
		}
		run.Stage = "replay"
		if err := w.agree(); err != nil {
			return fmt.Errorf("the run does not replay: %w", err)
		}
		state = w.state()
		return nil
	})
	if refused != nil {
		return nil, run.Diagnostics, refused
	}
	return state, run.Diagnostics, err
}

// openRun reads a program and takes the run that is asked for, which may be impossible.
func openRun(ctx context.Context, run *pipeline.Run, opt *query.ExploreOptions) (*walk, *query.RunError, error) {
	w, err := open(ctx, run, opt.Model, opt.Options)
	if err != nil {
		return nil, nil, err
	}
	impossible, err := w.takeRun(ctx, opt)
	return w, impossible, err
}

// open reads and compiles a program.
func open(ctx context.Context, run *pipeline.Run, name query.Model, opt query.Options) (*walk, error) {
	model, err := pipeline.ParseModel(cmp.Or(name, query.TSO))
	if err != nil {
		return nil, err
	}
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt}); err != nil {
		return nil, err
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt)
	if err != nil {
		return nil, err
	}
	run.Stage = "run"
	return newWalk(run.Program, flat, model), nil
}

// walk is an execution to which steps are added.
type walk struct {
	p     *pipeline.Program
	flat  *ir.Program
	model memory.Model
	y     *memory.System
	rec   *engine.Recorder
	names []string // of the steps
	stops []int
	left  []verdict.LeftStep
	goals []engine.GoalLocations // by thread: locations at which local steps stop

	buf []memory.Step
}

func newWalk(p *pipeline.Program, flat *ir.Program, model memory.Model) *walk {
	keepAll := func(ir.ThreadID, ir.Reg) bool { return true }
	y := memory.New(flat, model, memory.Options{Keep: keepAll, Ends: true})
	return &walk{p: p, flat: flat, model: model, y: y, rec: engine.NewRecorder(y), goals: engine.WatchGoals(flat, p.Props.Goals)}
}

// enabled returns the flushes of a thread and its other steps. Both are valid until the next call.
func (w *walk) enabled(t int) (flushes, steps []memory.Step) {
	s := w.rec.State()
	w.buf = w.y.EnabledThread(s, t, w.buf[:0])
	n := 0
	for n < len(w.buf) && w.buf[n].Kind == memory.Flush {
		n++
	}
	return w.buf[:n], w.buf[n:]
}

// stepName returns the name of step i of n steps of a thread.
func stepName(flush bool, t, i, n int) string {
	name := strconv.Itoa(t)
	if flush {
		name = "f" + name
	}
	if n > 1 {
		name += "." + strconv.Itoa(i)
	}
	return name
}

// parseName returns the thread, the number and whether it is a flush. A name without a number has -1.
func parseName(name string) (t, i int, flush, ok bool) {
	rest, flush := strings.CutPrefix(name, "f")
	thread, number, numbered := strings.Cut(rest, ".")
	t, err := strconv.Atoi(thread)
	i = -1
	if numbered && err == nil {
		i, err = strconv.Atoi(number)
	}
	// Only one spelling of a number counts.
	ok = err == nil && t >= 0 && strconv.Itoa(t) == thread && (!numbered || i >= 0 && strconv.Itoa(i) == number)
	return t, i, flush, ok
}

// find returns the step with a name, or why there is none.
func (w *walk) find(name string) (memory.Step, string) {
	t, i, flush, ok := parseName(name)
	if !ok || t >= w.y.Threads() {
		return memory.Step{}, fmt.Sprintf("no step has this name; the program has %d threads", w.y.Threads())
	}
	flushes, steps := w.enabled(t)
	who := w.flat.Threads[t].Name
	if flush {
		steps = flushes
	}
	switch {
	case len(steps) == 0 && flush:
		return memory.Step{}, "no store of " + who + " can reach memory now"
	case len(steps) == 0:
		return memory.Step{}, who + " " + w.hindrance(t)
	case i < 0 && len(steps) > 1:
		return memory.Step{}, fmt.Sprintf("%s has %d steps here, so the name needs a number", who, len(steps))
	case i >= len(steps) || i >= 0 && len(steps) == 1:
		return memory.Step{}, fmt.Sprintf("%s has %d steps here", who, len(steps))
	}
	return steps[max(i, 0)], ""
}

// take takes a step that is possible.
func (w *walk) take(st memory.Step, name string) {
	if !w.silent(st) {
		w.stops = append(w.stops, len(w.names))
	}
	w.rec.Step(st)
	w.names = append(w.names, name)
}

// silent reports whether a step is the only one of its thread, is local, and breaks no check: there is nothing to
// choose.
func (w *walk) silent(st memory.Step) bool {
	t := int(st.Thread)
	if st.Kind != memory.Exec {
		return false
	}
	s := w.rec.State()
	op := &w.y.EdgeOf(s, st).Op
	if !op.Local() || op.Kind == ir.Havoc {
		return false
	}
	if _, steps := w.enabled(t); len(steps) != 1 {
		return false
	}
	return op.Kind != ir.Assert || !w.fails(st)
}

// fails reports whether a step breaks a check.
func (w *walk) fails(st memory.Step) bool {
	s := w.rec.State()
	mark := s.Mark()
	w.y.Apply(s, st)
	failed := s.Faulted()
	s.Undo(mark)
	return failed
}

// advance takes silent steps, of one thread after the other, as long as there are any. It stops at locations that
// goals name and where a thread comes round a loop.
func (w *walk) advance() {
	for t := range w.y.Threads() {
		seen := map[ir.Loc]bool{}
		for len(w.names) < query.MaxRun {
			at := w.rec.State().PC(ir.ThreadID(t))
			_, steps := w.enabled(t)
			if len(steps) != 1 || seen[at] || w.goals != nil && w.goals[t][at] != nil || !w.silent(steps[0]) {
				break
			}
			seen[at] = true
			_, steps = w.enabled(t)
			w.take(steps[0], stepName(false, t, 0, 1))
		}
	}
}

// takeRun takes the steps of a run.
func (w *walk) takeRun(ctx context.Context, opt *query.ExploreOptions) (*query.RunError, error) {
	if opt.Witness != nil {
		if refused := w.witness(opt.Witness); refused != nil {
			return refused, nil
		}
	}
	run := opt.Run
	if opt.Add != "" {
		run = append(run[:len(run):len(run)], opt.Add)
	}
	if len(run) > query.MaxRun {
		return &query.RunError{Index: query.MaxRun, Name: run[query.MaxRun], Why: fmt.Sprintf("a run has at most %d steps", query.MaxRun)}, nil
	}
	for i, name := range run {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		st, why := w.find(name)
		switch {
		case why == "":
			w.take(st, name)
		case opt.Lenient:
			w.leave(i, name, why)
		default:
			return &query.RunError{Index: i, Name: name, Why: why}, nil
		}
	}
	if opt.Advance {
		w.advance()
	}
	return nil, nil
}

// leave notes that a step is not possible.
func (w *walk) leave(i int, name, why string) {
	l := verdict.LeftStep{Index: i, Name: name, Reason: why, Thread: -1}
	if t, _, flush, ok := parseName(name); ok && t < w.y.Threads() {
		l.Thread = t
		if !flush {
			l.Text = w.p.TextAt(w.position(t))
		}
	}
	w.left = append(w.left, l)
}

// witness takes the steps of a stored execution.
func (w *walk) witness(x *verdict.Witness) *query.RunError {
	if len(x.Steps) > query.MaxRun {
		return &query.RunError{Index: query.MaxRun, Name: "", Why: fmt.Sprintf("a run has at most %d steps", query.MaxRun)}
	}
	for i := range x.Steps {
		want := &x.Steps[i]
		if want.Thread < 0 || want.Thread >= w.y.Threads() {
			return &query.RunError{Index: i, Name: strconv.Itoa(want.Thread), Why: fmt.Sprintf("the program has %d threads", w.y.Threads())}
		}
		flushes, steps := w.enabled(want.Thread)
		flush := want.Kind == verdict.StepFlush
		if flush {
			steps = flushes
		}
		found := -1
		for k, st := range steps {
			if w.is(st, want) {
				found = k
			}
		}
		if found < 0 {
			return &query.RunError{Index: i, Name: stepName(flush, want.Thread, 0, 1), Why: "the stored execution is not one of this program"}
		}
		w.take(steps[found], stepName(flush, want.Thread, found, len(steps)))
	}
	return nil
}

// is reports whether a step is the one that a stored execution has.
func (w *walk) is(st memory.Step, want *verdict.Step) bool {
	s := w.rec.State()
	if st.Kind == memory.Flush {
		return int(s.Buffer(ir.ThreadID(st.Thread))[st.Index].Tag) == want.Of
	}
	return int(w.y.EdgeOf(s, st).ID) == want.Edge && st.Choice == want.Choice && (st.Kind == memory.Wake) == (want.Kind == verdict.StepWake)
}
