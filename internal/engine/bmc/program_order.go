package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// What is known of the order of events before anything is solved (order.go). An event of an
// instruction that is not executed can be put anywhere, so what is known here may order it as it
// likes, as long as each execution can be completed by some positions of the events that it lacks.

// programOrder orders the events of a thread: what it does in the order of its locations, and a
// store after all that the thread does up to it. The stores keep their order under TSO, and under PSO
// if they always go to the same bytes. Common bytes are not enough: of three stores the first and the last
// may each have bytes in common with the second and none with each other, so they have no order where
// the second is not executed (overlap orders stores that are executed). All comes after the only step that
// can start the thread: if that step is not executed, neither is anything of the thread.
func (o *order) programOrder(t *thread) {
	last := -1 // what the thread does before
	if from := o.starters[t.id]; len(from) == 1 {
		last = o.events[o.leaving(from[0])].group
	}
	var stores []int
	for i := range o.groups {
		g := &o.groups[i]
		if g.thread != t {
			continue
		}
		if last >= 0 {
			o.precede(last, i)
		}
		if g.store == nil {
			last = i
			continue
		}
		for k := len(stores) - 1; k >= 0; k-- {
			j := stores[k]
			if o.x.model == memory.TSO {
				o.precede(j, i)
				break
			}
			if o.mem.sameBytes(o.groups[j].store, g.store) {
				o.precede(j, i)
				break // older ones come before that one
			}
		}
		stores = append(stores, i)
	}
}

// infer orders the events around locations that a thread cannot go around. If an instruction there
// waits for stores of its thread or for the end of another thread, they come before it: in an
// execution without this instruction nothing after it is executed, so that all of that can be put
// at the end.
func (o *order) infer() {
	for _, t := range o.x.threads {
		furthest := 0 // the last location to which an edge leads so far
		drained := 0  // how many stores are known to come before an earlier one of these
		for i, l := range t.locs {
			if l.reached == low {
				continue
			}
			if event, ok := o.leaves[l]; ok && furthest <= i && len(l.steps) == 1 && !l.inner {
				drained = o.awaits(t, l, event, drained)
			}
			for _, st := range l.steps {
				to := t.at[st.e.To]
				if waitsInside(st.e) && l.wait == nil {
					to = o.x.waitOf(l, st).at
				}
				if to != nil && st.runs != low {
					furthest = max(furthest, o.index[to])
				}
			}
		}
	}
	o.complete()
}

// awaits orders what the only step of a location waits for, beside the first stores of the thread. It returns
// how many stores are now known to come before it.
func (o *order) awaits(t *thread, l *location, event, drained int) int {
	st, at := l.steps[0], o.events[event].group
	if !st.alwaysDrains() || st.e.Op.Kind == ir.AtomicBegin {
		return drained
	}
	for buffer := o.buffer[t.id]; drained < len(buffer); drained++ {
		e := &o.events[buffer[drained]]
		if o.index[e.loc] >= o.index[l] {
			break
		}
		o.precede(e.group, at)
	}
	if st.e.Op.Kind == ir.Join {
		o.joins(t, l, st, at)
	}
	return drained
}

// alwaysDrains reports whether a step waits for the earlier stores of its thread whenever the thread
// comes to it. Taking a recursive mutex does not if the thread has it.
func (st *step) alwaysDrains() bool {
	return st.drain != low && (st.drain == st.asks || st.drain == st.runs)
}

// joins orders the events of the thread that a step waits for. The step's thread must have started it: two
// threads may wait for each other.
func (o *order) joins(t *thread, l *location, st *step, at int) {
	for _, u := range o.x.threads {
		from := o.starters[u.id]
		if len(from) != 1 || o.events[o.leaving(from[0])].thread != t || o.index[from[0]] >= o.index[l] {
			continue
		}
		if o.x.c.equal(st.handle, constWord(int64(u.id))) != high {
			continue
		}
		for i := range o.groups {
			if o.groups[i].thread == u {
				o.precede(i, at)
			}
		}
	}
}
