//go:build !fencepost_small

package replay

import (
	"slices"

	"fencepost/internal/property"
)

// What can happen around one state, for proofs about executions that never end. The definitions of endless.go are used, on
// the graph of the state and its successors.

// Around is a state with what can happen next, as far as endless executions are concerned.
type Around struct {
	l    *loops
	Ways []Way
}

// Way is a step that an endless execution may take.
type Way struct {
	To  State
	way way
}

// Apart makes Next note nothing for Endless: what Note gets counts.
func (x *Stepper) Apart() { x.apart = true }

// Note notes a state, and what Next returns for it, for Endless.
func (x *Stepper) Note(s State, next []Move) { x.loops.expand(s.s, transitions(next)) }

// Around returns what can happen in a state, for which Next returns next. Steps after which a buffer has more than bound
// entries count as an end of the execution; 0: no bound.
func (x *Stepper) Around(s State, next []Move, bound int) *Around {
	l := &loops{m: x.m, number: map[string]int{}, starves: x.loops.starves}
	l.expand(s.s, transitions(next))
	beyond := map[int]bool{}
	for i := range next {
		if bound > 0 && next[i].Waiting > bound {
			beyond[l.state(next[i].To.s)] = true
			l.ends[0] = true
		}
	}
	a := &Around{l: l}
	for _, w := range l.next[0] {
		if !beyond[w.to] {
			a.Ways = append(a.Ways, Way{State{l.states[w.to]}, w})
		}
	}
	return a
}

func transitions(next []Move) []transition {
	out := make([]transition, len(next))
	for i := range next {
		out[i] = *next[i].tr
	}
	return out
}

// Ends reports whether the execution ends in the state, or something keeps it from going on.
func (a *Around) Ends() bool { return a.l.ends[0] }

// Empty reports whether all buffers are empty.
func (a *Around) Empty() bool { return a.l.empty[0] }

// Changes reports whether some step changes memory.
func (a *Around) Changes() bool {
	for _, w := range a.Ways {
		if a.l.memory[w.way.to] != a.l.memory[0] {
			return true
		}
	}
	return false
}

// Counts reports whether a fair execution may stay in states like this one; held: in which a thread is inside an atomic
// section.
func (a *Around) Counts(held bool) bool { return a.l.counts(0, held) }

// Meets reports whether the state meets a condition, or a step from it does.
func (a *Around) Meets(c Condition, w *Way) bool { return a.l.meets(0, c) || c.metBy(w.way) }

// Open returns the conditions that the state does not meet.
func (a *Around) Open() []Condition {
	var out []Condition
	for t := range a.l.m.p.Threads {
		if c := (Condition{Thread: t}); !a.l.meets(0, c) {
			out = append(out, c)
		}
		for _, e := range a.l.states[0].threads[t].buf {
			if c := (Condition{Thread: t, Buffer: true, Addr: e.addr}); e.kind != marker && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Met returns the condition that the step meets.
func (w *Way) Met() Condition {
	c := Condition{Thread: w.way.thread, Buffer: w.way.flush}
	if c.Buffer {
		c.Addr = w.way.addr
	}
	return c
}

// Endless returns what is wrong with the executions that never end, "" if nothing is. Next must have been called for
// all reachable states.
func (x *Stepper) Endless() string {
	if x.loops == nil {
		return ""
	}
	for n, able := range x.loops.able {
		x.loops.ends[n] = x.loops.ends[n] || able == nil // beyond a bound
	}
	never, _, still := x.loops.find()
	switch {
	case x.loops.starves >= 0 && x.loops.fair():
		return "a thread can starve in a fair execution"
	case x.loops.starves >= 0:
		return ""
	case x.props.Fairness == 0 && still:
		return "loops that only wait can go on for ever"
	case x.props.Fairness == property.Random && never:
		return "some state has no execution that ends"
	case x.props.Fairness == property.Weak && x.loops.fair():
		return "a fair execution never ends"
	}
	return ""
}

// WatchesLoops reports whether it is asked which loops end.
func (x *Stepper) WatchesLoops() bool { return x.loops != nil }
