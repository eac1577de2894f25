package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Limits of what is shown of a state.
const (
	maxCells = 200
	maxNext  = 40 // steps per thread; a choice of a value may have thousands
)

// Why no step is possible.
const (
	endFinal    = "final"
	endExit     = "exit"
	endFailed   = "failed"
	endDeadlock = "deadlock"
	endStopped  = "stopped"
)

// state returns the state as plain data.
func (w *walk) state() *verdict.State {
	x := w.rec.Witness()
	w.p.AddTexts(x)
	out := &verdict.State{
		Program: w.p.Input.Name, Model: w.model.String(), Run: emptyNotNil(w.names), Stops: emptyNotNil(w.stops), Left: w.left,
		Next: []verdict.NextStep{}, Blocked: []verdict.BlockedStep{}, Memory: []verdict.CellState{},
		Witness: x,
	}
	cells, more := w.rec.Cells(maxCells)
	for _, c := range cells {
		out.Memory = append(out.Memory, verdict.CellState{Name: c.Name, Value: c.Value})
	}
	out.More = more
	for t := range w.y.Threads() {
		next, flushes := w.next(t)
		out.Threads = append(out.Threads, w.thread(t, flushes))
		out.Next = append(out.Next, next...)
		if b := w.blocked(t, next); b != nil {
			out.Blocked = append(out.Blocked, *b)
		}
	}
	w.ending(out)
	if len(x.Steps) > 0 && w.model != memory.SC {
		if c := w.p.Cause(w.flat, w.model, x); len(c.Cycle) > 0 {
			out.Cause = c
		}
	}
	return out
}

func emptyNotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// next lists the steps of a thread that are possible, and the names of its flushes by position in its buffer.
func (w *walk) next(t int) (all []verdict.NextStep, flushes map[int]string) {
	flush, steps := w.enabled(t)
	flush, steps = slices.Clone(flush), slices.Clone(steps)
	flushes = map[int]string{}
	add := func(st memory.Step, name string) {
		local := st.Kind == memory.Exec && w.y.EdgeOf(w.rec.State(), st).Op.Local()
		one := verdict.Witness{Steps: []verdict.Step{w.rec.Preview(st)}}
		w.p.AddTexts(&one)
		all = append(all, verdict.NextStep{Name: name, Local: local, Step: one.Steps[0]})
	}
	for i, st := range steps[:min(len(steps), maxNext)] {
		add(st, stepName(false, t, i, len(steps)))
	}
	for i, st := range flush[:min(len(flush), maxNext)] {
		name := stepName(true, t, i, len(flush))
		flushes[int(st.Index)] = name
		add(st, name)
	}
	return all, flushes
}

// thread describes a thread.
func (w *walk) thread(t int, flushes map[int]string) verdict.ThreadState {
	id, s := ir.ThreadID(t), w.rec.State()
	out := verdict.ThreadState{Name: w.flat.Threads[t].Name, Status: w.status(t), Pos: w.position(t), Regs: []verdict.RegState{}, Buffer: []verdict.EntryState{}}
	out.Text = w.p.TextAt(out.Pos)
	f := w.flat.ThreadFunc(id)
	for r := range f.Regs {
		if name, ok := w.sourceName(&f.Regs[r]); ok {
			out.Regs = append(out.Regs, verdict.RegState{Name: name, Value: w.word(w.y.Reg(s, id, ir.Reg(r)))})
		}
	}
	for i := range s.Buffer(id) {
		e := &s.Buffer(id)[i]
		one := verdict.EntryState{Flush: flushes[i], Step: int(e.Tag), Free: e.Kind == memory.FreeEntry, Marker: e.Kind == memory.Marker}
		if !one.Marker {
			made := &w.rec.Witness().Steps[e.Tag]
			one.Cell, one.Value = made.Cell(), made.ValueText()
		} else {
			one.Step = -1
		}
		out.Buffer = append(out.Buffer, one)
	}
	return out
}

// firstAddress is the least number that is shown as an address: smaller ones are mostly numbers.
const firstAddress = 4096

// word is the value of a register as people read it.
func (w *walk) word(v int64) string {
	if v >= firstAddress {
		return w.rec.Pointer(v)
	}
	return strconv.FormatInt(v, 10)
}

// sourceName returns the name of a register that the program text declares, and false for one that a front end made.
func (w *walk) sourceName(r *ir.Register) (string, bool) {
	name, _, _ := strings.Cut(r.Name, "#")
	if !r.Pos.IsValid() {
		return name, name == r.Name && !strings.ContainsAny(name, "$.%")
	}
	text := strings.TrimLeft(w.p.Slice(r.Pos), "* ")
	if !strings.HasPrefix(text, name) {
		return "", false
	}
	rest := text[len(name):]
	return r.Name, rest == "" || !isWord(rest[0]) && rest[0] != '('
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (w *walk) status(t int) string {
	s := w.rec.State()
	switch {
	case !s.Started(ir.ThreadID(t)):
		return "not started"
	case w.y.Thread(s, t).Ended():
		return "ended"
	case !s.Running(ir.ThreadID(t)):
		return "waiting"
	default:
		return "running"
	}
}

// position returns where a thread stands: the statement that it runs next, or its end.
func (w *walk) position(t int) *verdict.Pos {
	id, s := ir.ThreadID(t), w.rec.State()
	f, at := w.flat.ThreadFunc(id), s.PC(id)
	span := f.Locs[at].Pos
	for _, i := range f.Out(at) {
		if e := &f.Edges[i]; e.Pos.IsValid() {
			span = e.Pos
			break
		}
	}
	if !span.IsValid() {
		return nil
	}
	pos := pipeline.Position(span)
	return &pos
}

// ending says whether the execution has ended, and what its last state violates or shows.
func (w *walk) ending(out *verdict.State) {
	s := w.rec.State()
	judge := engine.NewJudge(w.y)
	if f, failed := s.Fault(); failed {
		out.End, out.Violations = endFailed, []string{w.rec.Fault(f)}
		return
	}
	if s.Over() {
		out.End = endExit
		return
	}
	for i := range w.p.Props.Goals {
		if g := &w.p.Props.Goals[i]; judge.Goal(s, g) {
			out.Violations = append(out.Violations, fmt.Sprintf("the goal %q is reached", g.Name))
		}
	}
	steps := slices.ContainsFunc(out.Next, func(n verdict.NextStep) bool { return n.Step.Kind != verdict.StepWake })
	switch {
	case w.y.Final(s):
		out.End, out.Final = endFinal, engine.NewFinals(w.y, w.p.Props).Text(s)
		w.judgeFinal(out, judge)
	case steps:
	case w.y.Deadlocked(s):
		out.End = endDeadlock
		if w.p.Props.Deadlock {
			out.Violations = append(out.Violations, "deadlock")
		}
	case len(out.Next) == 0:
		out.End = endStopped
	}
}

// judgeFinal says what a final state violates or shows.
func (w *walk) judgeFinal(out *verdict.State, judge *engine.Judge) {
	f := w.p.Props.Final
	if f == nil || !judge.Final(w.rec.State(), f) {
		return
	}
	what := f.Cond.Text
	if f.Quantifier == property.Exists {
		out.Observed = what
		return
	}
	out.Violations = append(out.Violations, fmt.Sprintf("the final state violates %q", f.Quantifier.String()+" "+what))
}
