package engine

import (
	"fmt"

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
}

// NewRecorder starts in the initial state.
func NewRecorder(y *memory.System) *Recorder {
	s := y.NewState()
	s.Record = true
	w := &verdict.Witness{}
	for _, t := range y.Prog.Threads {
		w.Threads = append(w.Threads, t.Name)
	}
	return &Recorder{y: y, s: s, w: w}
}

// State is the state after the steps so far. The caller must leave it as it is.
func (r *Recorder) State() *memory.State { return r.s }

// Witness is the execution so far.
func (r *Recorder) Witness() *verdict.Witness { return r.w }

// Step takes a step and writes it down.
func (r *Recorder) Step(st memory.Step) {
	r.s.Tag = int32(len(r.w.Steps))
	step := verdict.Step{Thread: int(st.Thread), Edge: -1, Of: -1, Choice: st.Choice}
	var e *ir.Edge
	if st.Kind != memory.Flush {
		e = r.y.Edge(r.s, st)
		step.Edge = int(e.ID)
		step.Pos = Pos(e)
		for _, f := range e.Stack {
			step.Stack = append(step.Stack, f.Func)
		}
	}
	r.y.Apply(r.s, st)
	step.Kind = kindOf(st, e)
	step.Other = r.s.Event.Other
	for _, t := range r.s.Event.Touches {
		step.Touches = append(step.Touches, verdict.Touch{Addr: t.Addr, Size: t.Size, Wrote: t.Write})
	}
	for _, t := range r.s.Event.Wakes {
		step.Wakes = append(step.Wakes, int(t))
	}
	if ev := r.s.Event; ev.Memory {
		step.Addr, step.Size, step.Value = ev.Addr, ev.Size, ev.Value
		step.Written, step.Wrote = ev.Written, ev.Wrote
		step.Buffered, step.Free = ev.Buffered, ev.Free
		step.Location = r.y.Prog.LocationName(ev.Addr, max(1, ev.Size))
		switch {
		case ev.Own:
			step.From = 1 + int(ev.From)
		case st.Kind == memory.Flush:
			step.Of = int(ev.From)
			step.Pos = r.w.Steps[ev.From].Pos
		}
	}
	if e != nil && e.Op.Kind == ir.Free && !r.s.Event.Memory {
		step.Kind = verdict.StepExec // free(0) does nothing
	}
	if f, failed := r.s.Fault(); failed {
		step.Kind = verdict.StepFail
		step.Note = FaultText(r.y.Prog, f)
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

// FaultText says what went wrong in words.
func FaultText(p *ir.Program, f memory.Fault) string {
	if f.Class == ir.Assertion || f.Class == ir.ReachError || f.Class == ir.DivByZero || f.Class == ir.Overflow {
		what := map[ir.CheckClass]string{
			ir.Assertion: "assertion fails", ir.ReachError: "error reached",
			ir.DivByZero: "division by zero", ir.Overflow: "overflow",
		}[f.Class]
		if f.Edge != nil && f.Edge.Op.Msg != "" {
			what += ": " + f.Edge.Op.Msg
		}
		return what
	}
	if f.Edge != nil && f.Edge.Op.Obj != ir.NoObject && f.Class == ir.OutOfBounds {
		o := &p.Objects[f.Edge.Op.Obj]
		return fmt.Sprintf("%s: the access is not inside %s, which has %d element(s)", f.Class, o.Name, o.Size/int64(o.Unit))
	}
	if f.Class == ir.BadAddress {
		return f.Class.String() + ": no cell has this address"
	}
	if f.Addr != 0 {
		return fmt.Sprintf("%s at %s", f.Class, p.LocationName(f.Addr, 1))
	}
	return f.Class.String()
}
