package engine

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Recorder turns steps of package memory into a witness. It runs them from the
// initial state on a state of its own.
type Recorder struct {
	y *memory.System
	s *memory.State
	w *verdict.Witness
	n names
}

// NewRecorder starts in the initial state.
func NewRecorder(y *memory.System) *Recorder {
	s := y.NewState()
	s.Record = true
	w := &verdict.Witness{}
	for _, t := range y.Prog.Threads {
		w.Threads = append(w.Threads, t.Name)
	}
	return &Recorder{y: y, s: s, w: w, n: names{p: y.Prog}}
}

// Record runs the steps of an execution.
func Record(y *memory.System, steps []memory.Step) *Recorder {
	r := NewRecorder(y)
	for _, st := range steps {
		r.Step(st)
	}
	return r
}

// State is the state after the steps so far. The caller must leave it as it is.
func (r *Recorder) State() *memory.State { return r.s }

// Witness is the execution so far.
func (r *Recorder) Witness() *verdict.Witness { return r.w }

// Fault says in words, with its position, which check failed.
func (r *Recorder) Fault(f memory.Fault) string {
	if f.Edge == nil {
		return r.n.fault(f)
	}
	if pos := Pos(f.Edge); pos != nil {
		return fmt.Sprintf("%s at %s", r.n.fault(f), pos)
	}
	return r.n.fault(f)
}

// Step takes a step and writes it down.
func (r *Recorder) Step(st memory.Step) {
	r.s.Tag = int32(len(r.w.Steps))
	step := verdict.Step{Thread: int(st.Thread), Edge: -1, Of: -1, Choice: st.Choice}
	var e *ir.Edge
	if st.Kind != memory.Flush {
		e = r.y.EdgeOf(r.s, st)
		step.Edge = int(e.ID)
		step.Pos = Pos(e)
		step.Stack = stackOf(r.w.Threads[st.Thread], e)
	}
	size := r.blockSize(st, e)
	r.y.Apply(r.s, st)
	if size >= 0 {
		addr := uint64(r.y.Reg(r.s, ir.ThreadID(st.Thread), e.Op.Dst))
		if st.Choice != 0 {
			addr = uint64(st.Choice)
		}
		if b := r.n.allocated(r.w.Threads[st.Thread], e, addr, size); !b.stack {
			r.w.Blocks = append(r.w.Blocks, verdict.Block{Name: b.name, By: allocator(e), Step: len(r.w.Steps), Pos: Pos(e)})
		}
	}
	step.Kind = kindOf(st, e)
	step.Other = r.s.Event.Other
	for _, t := range r.s.Event.Accesses {
		step.Accesses = append(step.Accesses, verdict.Access{Addr: t.Addr, Size: t.Size, Wrote: t.Write})
	}
	for _, t := range r.s.Event.Wakes {
		step.Wakes = append(step.Wakes, int(t))
	}
	if ev := r.s.Event; ev.Memory {
		step.Addr, step.Size, step.Value = ev.Addr, ev.Size, ev.Value
		step.Written, step.Wrote = ev.Written, ev.Wrote
		step.Buffered, step.Free = ev.Buffered, ev.Free
		r.name(&step, e)
		switch {
		case ev.Forwarded != 0:
			step.SetReadsFrom(sourcesOf(&ev))
		case st.Kind == memory.Flush:
			step.Of = int(ev.From)
			step.Pos = r.w.Steps[ev.From].Pos
			step.Number = r.w.Steps[ev.From].Number
		}
	}
	if e != nil && e.Op.Kind == ir.Free && !r.s.Event.Memory {
		step.Kind = verdict.StepExec // free(0) does nothing
	}
	if f, failed := r.s.Fault(); failed {
		step.Kind = verdict.StepFail
		step.Note = r.n.fault(f)
		step.Calls = callsOf(e)
		if f.Edge != nil {
			step.Addr, step.Size, step.Location = 0, 0, ""
		}
	}
	if e != nil {
		step.Signals = e.Op.Kind == ir.Broadcast || e.Op.Kind == ir.Signal && st.Choice >= 0
		switch {
		case step.Note != "":
		case e.Op.Kind == ir.Signal && st.Choice >= 0:
			step.Note = "wakes " + r.w.Threads[st.Choice]
		case e.Op.Kind == ir.Havoc || e.Op.Kind == ir.AbstractLoad:
			f := r.y.Prog.ThreadFunc(ir.ThreadID(st.Thread))
			step.Note = fmt.Sprintf("%s = %d", f.Regs[e.Op.Dst].Name, st.Choice)
		}
	}
	r.w.Steps = append(r.w.Steps, step)
}

// sourcesOf says for each byte of a load where it came from, as verdict.Step has it.
func sourcesOf(ev *memory.Event) []int {
	from := make([]int, ev.Size)
	for k := range from {
		if ev.Forwarded>>k&1 != 0 {
			from[k] = 1 + int(ev.ForwardedFrom[k])
		}
	}
	return from
}

// stackOf is the functions a step is inside of, outermost first; nil outside calls.
// A thread has the name of its function, with a number if there are several.
func stackOf(thread string, e *ir.Edge) []string {
	if len(e.Stack) == 0 {
		return nil
	}
	root, _, _ := strings.Cut(thread, "#")
	out := []string{root}
	for _, f := range e.Stack {
		out = append(out, f.Func)
	}
	return out
}

// callsOf returns where the functions are called that a step is inside of, outermost first.
func callsOf(e *ir.Edge) []verdict.Pos {
	if e == nil {
		return nil
	}
	var out []verdict.Pos
	for _, f := range e.Stack {
		out = append(out, verdict.Pos{File: f.Call.File, Line: f.Call.Line, Col: f.Call.Col})
	}
	return out
}

// allocator is the name of the function that allocates.
func allocator(e *ir.Edge) string {
	if e.Op.Block.Name == "" {
		return "block"
	}
	return e.Op.Block.Name
}

// blockSize is how large a block a step is about to allocate, -1 if none.
func (r *Recorder) blockSize(st memory.Step, e *ir.Edge) int64 {
	if e == nil || e.Op.Kind != ir.Alloc {
		return -1
	}
	f := r.y.Prog.ThreadFunc(ir.ThreadID(st.Thread))
	regs := make([]int64, len(f.Regs))
	for i := range regs {
		regs[i] = r.y.Reg(r.s, ir.ThreadID(st.Thread), ir.Reg(i))
	}
	return max(0, e.Op.Val.Eval(ir.Env{Regs: regs, Prog: r.y.Prog}))
}

// name sets the names of the memory that a step accessed, and of the addresses that it read and wrote.
func (r *Recorder) name(step *verdict.Step, e *ir.Edge) {
	if step.Free {
		if b := r.n.block(step.Addr, 1); b != nil {
			step.Location = b.name
			if e != nil {
				r.n.freed(step.Addr, e)
			}
			return
		}
	}
	location, pointer := r.n.location(step.Addr, max(1, step.Size))
	step.Location = location
	if pointer {
		step.Points = r.n.pointee(uint64(step.Value))
		if step.Wrote {
			step.WrittenPoints = r.n.pointee(uint64(step.Written))
		}
	}
	if e != nil && e.Op.Type.Float {
		step.Number = ir.FloatText(e.Op.Type, step.Value)
		if step.Wrote {
			step.WrittenNumber = ir.FloatText(e.Op.Type, step.Written)
		}
	}
}

func kindOf(st memory.Step, e *ir.Edge) verdict.StepKind {
	switch st.Kind {
	case memory.Flush:
		return verdict.StepFlush
	case memory.Wake:
		return verdict.StepWake
	case memory.Relock:
		return verdict.StepExec
	}
	switch e.Op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad:
		return verdict.StepLoad
	case ir.Store, ir.Free:
		return verdict.StepStore
	case ir.RMW, ir.Lock, ir.TryLock, ir.Unlock:
		return verdict.StepRMW
	case ir.Fence:
		return verdict.StepFence
	default:
		return verdict.StepExec
	}
}
