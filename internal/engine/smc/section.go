package smc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Atomic sections. A section is one event: it drains, nobody else touches memory
// while it lasts, and its accesses are the event's. What is chosen inside it is
// part of the label. A section that cannot be finished, because of an assumption or
// an await inside, is taken back: it is the event that read what it read, behind which
// the thread stops. Nothing is lost: whatever others could do before the section
// began they can still do.

// maxInner is how many choices of how many alternatives a label has room for.
const (
	maxInner        = 8
	maxAlternatives = 15
)

// section runs from AtomicBegin to AtomicEnd.
func (x *explorer) section(t int, st memory.Step, e *event) {
	e.flags |= varies
	if x.y.Model != memory.SC {
		e.flags |= drains
	}
	mark, steps, log := x.s.Mark(), len(x.steps), len(x.threadLog)
	take := func(why stop) {
		x.s.Undo(mark)
		if !x.dry {
			x.steps = x.steps[:steps]
		}
		x.undoThreads(log)
		x.issued = x.issued[:0]
		v := x.threads[t]
		v.stop = why
		x.setThread(t, v)
		e.flags |= ends
		for i := range e.size() {
			e.at(i).mode &^= writes
		}
	}
	if !x.apply(t, st) {
		panic("BUG: a section does not begin")
	}
	inner, digits := e.label.inner, uint32(0)
	for depth := 0; x.s.Holder() == t; {
		x.local = x.y.EnabledEdges(x.s, t, x.local[:0])
		if len(x.local) == 0 {
			x.refusals(t, e)
			take(stuck)
			e.label.inner = digits
			return
		}
		pick, ok := x.choose(inner, &digits, &depth)
		if !ok {
			take(stuck)
			return
		}
		st := x.local[pick]
		op := x.y.Op(x.s, t, st.Edge)
		x.describeInner(t, st, op, e)
		if x.loops != nil && affects(op) && op.Kind != ir.AtomicEnd {
			x.affected(t)
		}
		if !x.apply(t, st) {
			take(x.threads[t].stop)
			e.label.inner = digits
			return
		}
		if op.Kind == ir.RMW && !x.s.Event.Wrote {
			e.at(e.size() - 1 - x.tokens(op, e)).mode = reads
		}
	}
	e.label.inner = digits
	x.settle(t)
}

// choose picks among the steps inside a section as the label says, and notes the
// alternatives. It reports whether the label has room for the choice.
func (x *explorer) choose(inner uint32, digits *uint32, depth *int) (int, bool) {
	n := len(x.local)
	if n == 1 {
		return 0, true
	}
	if *depth == maxInner || n > maxAlternatives {
		x.fail("a section with too many choices")
		return 0, false
	}
	pick := min(int(inner>>(4**depth)&15), n-1)
	for i := range n {
		if i != pick && !x.dry {
			x.inner = append(x.inner, *digits|uint32(i)<<(4**depth))
		}
	}
	*digits |= uint32(pick) << (4 * *depth)
	*depth++
	return pick, true
}

// tokens is how many accesses of an operation follow its own: that to the block.
func (x *explorer) tokens(op *ir.Op, e *event) int {
	if op.Accesses() && e.at(e.size()-1).addr >= tokenBase {
		return 1
	}
	return 0
}

// describeInner is describe inside a section, where stores go through at once.
func (x *explorer) describeInner(t int, st memory.Step, op *ir.Op, e *event) {
	addr, size := x.y.Address(x.s, t, st.Edge)
	switch {
	case op.Kind == ir.Store:
		x.touch(e, addr, size, writes)
	case op.Kind == ir.Free:
		if b, ok := x.y.Block(x.s, addr); ok {
			e.touch(tokenBase+b, 8, reads|writes)
			e.touch(heapToken, 8, reads|writes)
		}
	case op.Kind == ir.AtomicEnd:
	default:
		x.describe(t, st, op, e)
	}
}

// refusals notes what the awaits read that a section is stuck at.
func (x *explorer) refusals(t int, e *event) {
	for i := range x.y.Edges(x.s, t) {
		op := x.y.Op(x.s, t, int32(i))
		if op.Kind == ir.Await || op.Kind == ir.RMW || op.Kind == ir.AbstractLoad || op.Kind == ir.Lock {
			addr, size := x.y.Address(x.s, t, int32(i))
			x.touch(e, addr, size, reads)
		}
	}
}
