//go:build !fencepost_small

package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The rules for package certificate: states, what can happen next in a state, and what is asked of it. The steps come from
// the list of transitions, and nothing is left out or put together here.

// Stepper is a program under a model, and what is asked about it.
type Stepper struct {
	m     *machine
	props *property.Set
	first *state
	uses  bool // something in the program is undefined
	sites bool // states tell which operation allocated a block
	loops *loops
	apart bool // Next does not note what it returns in loops
}

// State is a state of the whole program.
type State struct{ s *state }

// Move is a step that is possible in a state. A step at which a check fails leads nowhere.
type Move struct {
	Thread int
	Kind   verdict.StepKind
	Edge   ir.EdgeID // NoEdge for a flush
	Failed *Violation
	To     State
	// Waiting is the number of entries in the buffer of the thread after a store that is buffered, else 0.
	Waiting int
	Choice  int64 // of a value, or of a block
	Of      int   // of a flush: the number of the step that added the entry
	tr      *transition
}

// NewStepper returns the rules of a flat program under SC, TSO or PSO.
func NewStepper(p *ir.Program, props *property.Set, model Model) (*Stepper, error) {
	m, err := newMachine(p, model)
	if err != nil {
		return nil, err
	}
	m.kept, m.recycles = keptIfNone(p), true
	x := &Stepper{m: m, props: props, first: initial(p), uses: usesUndefined(p), sites: props.Leaks}
	if props.Endless || props.Fairness != 0 {
		if x.loops, err = newLoops(m, props); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Initial returns the state in which execution begins.
func (x *Stepper) Initial() State { return State{x.first.clone()} }

// Next returns everything that can happen next.
func (x *Stepper) Next(s State) ([]Move, error) {
	next, err := x.m.successors(s.s, 0)
	if err != nil {
		return nil, err
	}
	for i := range next {
		if x.foreign(s, &next[i]) {
			return nil, errGuess
		}
	}
	if x.loops != nil && !x.apart {
		x.loops.expand(s.s, next)
	}
	return moves(next), nil
}

// NextOf returns what thread t can do next, with the flushes of its buffer.
func (x *Stepper) NextOf(s State, t int) ([]Move, error) {
	next, err := x.m.successorsOf(s.s, t, 0)
	return moves(next), err
}

func moves(next []transition) []Move {
	out := make([]Move, len(next))
	for i := range next {
		tr := &next[i]
		out[i] = Move{Thread: tr.thread, Kind: tr.kind, Edge: tr.edge, To: State{tr.next}, Choice: tr.choice, Of: tr.of, tr: tr}
		if tr.fail != nil {
			out[i].Failed = &Violation{Class: tr.fail.class, Edge: tr.edge}
			continue
		}
		if tr.kind == verdict.StepStore && tr.buffered {
			for _, e := range tr.next.threads[tr.thread].buf {
				if e.kind != marker {
					out[i].Waiting++
				}
			}
		}
	}
	return out
}

// At returns the location of thread t, if it runs: it has started, and does not wait for a signal or at a barrier.
func (x *Stepper) At(s State, t int) (ir.Loc, bool) {
	th := &s.s.threads[t]
	return th.loc, th.phase == running && !s.s.over
}

// Values returns the values of variables in a final state. final is false in other states.
func (x *Stepper) Values(s State, vars []property.Var) (values []int64, final bool) {
	if !x.m.final(s.s) {
		return nil, false
	}
	for _, v := range vars {
		values = append(values, s.s.value(v))
	}
	return values, true
}

// Bad returns what is wrong with a state, "" if nothing is: it belongs to a goal, is a final state that decides the
// final condition or has a memory leak, or is a deadlock. next has what Next returns for the state.
func (x *Stepper) Bad(s State, next []Move) string {
	for i := range x.props.Goals {
		if s.s.reaches(&x.props.Goals[i]) {
			return fmt.Sprintf("goal %d is reached", i)
		}
	}
	if f := x.props.Final; f != nil && x.m.final(s.s) && s.s.decides(f) {
		return "a final state decides the final condition " + f.Cond.Text
	}
	if x.props.Leaks && x.m.final(s.s) && len(x.m.lost(s.s)) > 0 {
		return "no pointer reaches a block of the heap in a final state"
	}
	if x.props.Deadlock {
		all := make([]transition, len(next))
		for i := range next {
			all[i].kind = next[i].Kind
		}
		if x.m.deadlocked(s.s, all) {
			return "a deadlock is reached"
		}
	}
	return ""
}

// CutOff returns the edge at which a bound of the program stops a thread, nil if there is none.
func (x *Stepper) CutOff(s State) *ir.Edge {
	if s.s.over {
		return nil
	}
	for t := range s.s.threads {
		if x.m.cutOff(s.s, t) {
			f := x.m.p.ThreadFunc(ir.ThreadID(t))
			return &f.Edges[f.Out(s.s.threads[t].loc)[0]]
		}
	}
	return nil
}
