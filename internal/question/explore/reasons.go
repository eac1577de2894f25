package explore

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// blocked describes what a thread cannot do, or returns nil if the thread has a step of its own, has not started or
// has ended.
func (w *walk) blocked(t int, next []verdict.NextStep) *verdict.BlockedStep {
	s := w.rec.State()
	if s.Faulted() || s.Over() || !s.Started(ir.ThreadID(t)) || w.y.Thread(s, t).Ended() {
		return nil
	}
	for i := range next {
		if next[i].Step.Kind != verdict.StepFlush {
			return nil
		}
	}
	pos := w.position(t)
	return &verdict.BlockedStep{Thread: t, Pos: pos, Text: w.p.TextAt(pos), Reason: w.hindrance(t)}
}

// hindrance says why a thread has no step.
func (w *walk) hindrance(t int) string {
	id, s := ir.ThreadID(t), w.rec.State()
	th := w.y.Thread(s, t)
	switch {
	case s.Faulted():
		return "stopped: a check has failed"
	case s.Over():
		return "stopped: the program has called exit"
	case !s.Started(id):
		return "has not started"
	case th.Ended():
		return "has ended"
	case s.Err != nil:
		why := s.Err.Error()
		s.Err = nil
		return "stopped: " + why
	case !s.Running(id):
		return w.waitsInside(th, id)
	case s.Holder() >= 0 && s.Holder() != t:
		return fmt.Sprintf("waits: %s is inside an atomic section", w.flat.Threads[s.Holder()].Name)
	}
	for i := range int32(th.EdgeCount()) {
		if why := w.edgeHindrance(th, t, i); why != "" {
			return why
		}
	}
	return "stopped: no alternative is possible"
}

// waitsInside says what a thread waits for in the middle of an operation.
func (w *walk) waitsInside(th memory.Thread, id ir.ThreadID) string {
	edge, woken := w.rec.State().Waiting(id)
	switch {
	case th.Stuck():
		return "stopped: the assumption does not hold"
	case woken:
		return w.heldBy(th.Mutex(edge))
	case th.Op(edge).Kind == ir.CondWait:
		return "waits: the condition has not been signalled"
	default:
		return "waits: other threads have not arrived at the barrier"
	}
}

// edgeHindrance says why an edge of a running thread is not enabled, or "" if that says nothing to the user.
func (w *walk) edgeHindrance(th memory.Thread, t int, i int32) string {
	op := th.Op(i)
	switch op.Kind {
	case ir.Bound:
		return "cut off: a bound of " + op.Report.Msg
	case ir.Unsupported:
		return verdict.NotSupportedNote + op.Report.Msg
	case ir.Spawn:
		if len(w.rec.State().Buffer(ir.ThreadID(t))) > 0 {
			return "waits: buffer not empty"
		}
		return "cut off: no more threads can be started here"
	case ir.Assume, ir.Havoc:
		if th.EdgeCount() > 1 {
			return ""
		}
		return "stopped: the assumption does not hold"
	}
	s := w.rec.State()
	switch h := th.Hindrance(i); h.Why {
	case memory.Buffer:
		return "waits: buffer not empty"
	case memory.Refusal:
		if op.Kind == ir.Fence {
			return "waits: the store buffer of another thread is not empty"
		}
		if h.Forwarded != 0 {
			return fmt.Sprintf("waits: its own store to %s is in its buffer", w.rec.Location(h.Addr, h.Size))
		}
		return fmt.Sprintf("waits: %s is %d", w.rec.Location(h.Addr, h.Size), w.y.Read(s, h.Addr, op.Type))
	case memory.Held:
		return w.heldBy(h.Addr)
	default:
		return w.waitsForOthers(th, t, op, i)
	}
}

// waitsForOthers says what other threads have to do first.
func (w *walk) waitsForOthers(th memory.Thread, t int, op *ir.Op, i int32) string {
	if op.Kind != ir.Join {
		return "waits: other threads"
	}
	target := th.JoinTarget(i)
	switch {
	case target < 0:
		return "waits: the thread has not started"
	case w.y.Thread(w.rec.State(), target).Ended():
		return fmt.Sprintf("waits: stores of %s are in its store buffer", w.flat.Threads[target].Name)
	default:
		return fmt.Sprintf("waits: %s has not ended", w.flat.Threads[target].Name)
	}
}

// heldBy says who holds a mutex.
func (w *walk) heldBy(addr uint64) string {
	name := w.rec.Location(addr, memory.WordSize)
	owner := int(uint32(w.y.ReadRaw(w.rec.State(), addr, memory.WordSize))) - 1
	if owner < 0 || owner >= len(w.flat.Threads) {
		return fmt.Sprintf("waits: mutex %s is held", name)
	}
	return fmt.Sprintf("waits: mutex %s is held by %s", name, w.flat.Threads[owner].Name)
}
