package smc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Deadlocks inside atomic sections. The exploration takes a section back that cannot be finished,
// so that other threads can continue. But the program may also stay inside it. Then the section is
// held, and the other threads cannot access memory. If the thread inside waits for a value or a
// mutex, nothing happens any more: a deadlock.
//
// Whether it is one depends on where the other threads are, and so on the events before the
// section. At least the events that happen before the section are needed. A thread that has taken
// fewer steps has met fewer assumptions that stop it, and main has not ended; either would make it
// no deadlock. From there the other threads run on through local steps, with all choices that they
// have. This argument holds under SC only, and other models are refused: with buffers, a thread
// that has taken more steps, because its store has reached memory, can be blocked earlier.

// maxOtherSteps bounds the local steps of the other threads while a section is held.
const maxOtherSteps = 1 << 14

// findSectionDeadlock reports a deadlock if event i is a section that cannot be finished and its
// threads can be blocked there for ever.
func (x *explorer) findSectionDeadlock(i int32) {
	t := int(x.exec.events[i].Thread)
	if x.run.Err != nil || !x.task.Props.Deadlock || x.out.Met["deadlock"] || x.run.Threads.Now[t].Stop != machine.Stuck {
		return
	}
	sd := &sectionDeadlock{x: x, s: x.run.Sys.NewState()}
	sd.past(i)
	if sd.enter(t, x.exec.events[i].Label) && sd.others(t) {
		rec := engine.NewRecorder(x.run.Sys)
		for _, st := range sd.steps {
			rec.Step(st)
		}
		x.out.Violated("deadlock", engine.Violation{Kind: engine.Deadlock, Witness: rec.Witness()})
	}
}

// sectionDeadlock is an execution that ends with a section held.
type sectionDeadlock struct {
	x     *explorer
	s     *memory.State
	steps []memory.Step
	at    *ir.Edge // where the section begins
	local int      // steps of the other threads that were tried
}

func (sd *sectionDeadlock) apply(st memory.Step) {
	sd.x.run.Sys.Apply(sd.s, st)
	sd.steps = append(sd.steps, st)
}

// past applies the steps of the events that happen before event i.
func (sd *sectionDeadlock) past(i int32) {
	x := sd.x
	for ev := int32(none); ev < i; ev++ {
		from, to := 0, x.nodes[ev+1].steps
		if ev != none {
			if !x.exec.before(ev, i) {
				continue
			}
			from = x.nodes[ev].steps
		}
		for _, st := range x.run.Steps[from:to] {
			if st.Kind == memory.Flush {
				p := &x.run.Procs.List[x.exec.events[ev].Proc]
				st, _ = x.run.Sys.Thread(sd.s, int(p.Thread)).FindFlush(p.Addr, p.Size)
			}
			sd.apply(st)
		}
	}
}

// enter runs the section with the choices of the label. It reports whether it comes to the
// operation at which the section is stuck.
func (sd *sectionDeadlock) enter(t int, lb label) bool {
	y := sd.x.run.Sys
	begin := memory.Step{Thread: int32(t), Kind: memory.Exec, Edge: lb.Edge, Choice: lb.Choice}
	sd.at = y.EdgeOf(sd.s, begin)
	sd.apply(begin)
	for depth := 0; sd.s.Holder() == t; {
		out := y.EnabledEdges(sd.s, t, nil)
		if len(out) == 0 {
			return true
		}
		pick := 0
		if len(out) > 1 {
			pick = min(int(lb.Inner>>(4*depth)&15), len(out)-1)
			depth++
		}
		sd.apply(out[pick])
		if _, bad := sd.s.Fault(); bad || sd.s.Over() {
			return false
		}
	}
	return false
}

// others runs the other threads until none of them can move, with all choices. It reports whether a
// deadlock was found.
func (sd *sectionDeadlock) others(holder int) bool {
	y := sd.x.run.Sys
	for t := range y.Threads() {
		if t == holder || !sd.s.Started(ir.ThreadID(t)) {
			continue
		}
		out := y.EnabledEdges(sd.s, t, nil)
		moves := false
		for _, st := range out {
			if st.Kind == memory.Wake {
				continue
			}
			moves = true
			mark, n := sd.s.Mark(), len(sd.steps)
			if sd.local++; sd.local > maxOtherSteps {
				sd.x.run.Cuts[sd.at.ID] = machine.CutOff{Edge: sd.at, Name: "section", Value: maxOtherSteps}
				return false
			}
			sd.apply(st)
			if _, bad := sd.s.Fault(); !bad && !sd.s.Over() && sd.others(holder) {
				return true
			}
			sd.s.Undo(mark)
			sd.steps = sd.steps[:n]
		}
		if moves {
			return false
		}
	}
	sd.s.Withheld = false // a thread at a bound is not stuck
	y.Enabled(sd.s, nil)
	return !sd.s.Withheld && y.Deadlocked(sd.s)
}
