package smc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Deadlocks inside atomic sections. The exploration takes a section back that cannot be
// finished, so that others go on; but the program may also stay there: the section is
// held, nobody else gets at memory, and if the thread inside waits, for a value or a
// mutex, nothing happens ever again.
//
// Where the others are then is a matter of what came before the section. The fewest steps
// are those that happen before it: whoever has gone less far has come less often to an
// assumption that stops it, or to the end of main, which would make it no
// deadlock. From there the others run on through what needs no memory, in all the ways they
// can choose. That is so under SC, and no other model is asked about: with buffers a thread that
// has gone further, because its store has reached memory, can be stopped sooner.

// maxFrozen bounds the local steps of the others while a section is held.
const maxFrozen = 1 << 14

// freeze looks whether the section that event i could not finish is a deadlock.
func (x *explorer) freeze(i int32) {
	t := int(x.ev[i].thread)
	if !x.task.Props.Deadlock || x.met["deadlock"] || x.threads[t].stop != stuck {
		return
	}
	fz := &frozen{x: x, s: x.y.NewState()}
	fz.past(i)
	if fz.enter(t, x.ev[i].label) && fz.others(t) {
		rec := engine.NewRecorder(x.y)
		for _, st := range fz.steps {
			rec.Step(st)
		}
		x.violated("deadlock", engine.Violation{Kind: engine.Deadlock, Witness: rec.Witness()})
	}
}

// frozen is an execution that ends with a section held.
type frozen struct {
	x     *explorer
	s     *memory.State
	steps []memory.Step
	at    *ir.Edge // where the section begins
	local int      // steps of the others that were tried
}

func (fz *frozen) apply(st memory.Step) {
	fz.x.y.Apply(fz.s, st)
	fz.steps = append(fz.steps, st)
}

// past takes the steps that happen before event i.
func (fz *frozen) past(i int32) {
	x := fz.x
	for ev := int32(none); ev < i; ev++ {
		from, to := 0, x.nodes[ev+1].steps
		if ev != none {
			if !x.precedes(ev, x.clock(i)) {
				continue
			}
			from = x.nodes[ev].steps
		}
		for _, st := range x.steps[from:to] {
			if st.Kind == memory.Flush {
				p := &x.procs[x.ev[ev].proc]
				st, _ = x.y.FindFlush(fz.s, int(p.thread), p.addr, p.size)
			}
			fz.apply(st)
		}
	}
}

// enter goes into the section as the label says; it reports whether it comes to
// where the section is stuck.
func (fz *frozen) enter(t int, lb label) bool {
	y := fz.x.y
	begin := memory.Step{Thread: int32(t), Kind: memory.Exec, Edge: lb.edge, Choice: lb.choice}
	fz.at = y.Edge(fz.s, begin)
	fz.apply(begin)
	for depth := 0; fz.s.Holder() == t; {
		out := y.EnabledEdges(fz.s, t, nil)
		if len(out) == 0 {
			return true
		}
		pick := 0
		if len(out) > 1 {
			pick = min(int(lb.inner>>(4*depth)&15), len(out)-1)
			depth++
		}
		fz.apply(out[pick])
		if _, bad := fz.s.Fault(); bad || fz.s.Over() {
			return false
		}
	}
	return false
}

// others runs the other threads on until nobody moves; it reports whether that is a
// deadlock.
func (fz *frozen) others(holder int) bool {
	y := fz.x.y
	for t := range y.Threads() {
		if t == holder || !fz.s.Started(ir.ThreadID(t)) {
			continue
		}
		out := y.EnabledEdges(fz.s, t, nil)
		moves := false
		for _, st := range out {
			if st.Kind == memory.Wake {
				continue
			}
			moves = true
			mark, n := fz.s.Mark(), len(fz.steps)
			if fz.local++; fz.local > maxFrozen {
				fz.x.cuts[fz.at.ID] = cutOff{edge: fz.at, name: "section", value: maxFrozen}
				return false
			}
			fz.apply(st)
			if _, bad := fz.s.Fault(); !bad && !fz.s.Over() && fz.others(holder) {
				return true
			}
			fz.s.Undo(mark)
			fz.steps = fz.steps[:n]
		}
		if moves {
			return false
		}
	}
	return y.Deadlocked(fz.s)
}
