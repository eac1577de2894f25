package replay

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// steps collects the transitions of thread t along an edge. All of them start in s.
type steps struct {
	s    *state // never changed
	t    int
	edge *ir.Edge
	out  []transition
}

// stay adds a step that leaves the thread at its location. effect changes the copy n
// of the state, and th in it; it may be nil.
func (l *steps) stay(kind verdict.StepKind, choice int64, r record, effect func(n *state, th *thread)) {
	n := l.s.clone()
	if effect != nil {
		effect(n, &n.threads[l.t])
	}
	l.out = append(l.out, transition{
		label:  label{thread: l.t, kind: kind, edge: l.edge.ID, choice: choice, of: -1},
		record: r,
		next:   n,
	})
}

// step adds a step that moves the thread along the edge, as well as what effect does.
func (l *steps) step(kind verdict.StepKind, choice int64, r record, effect func(n *state, th *thread)) {
	l.stay(kind, choice, r, func(n *state, th *thread) {
		th.loc = l.edge.To
		if effect != nil {
			effect(n, th)
		}
	})
}

// exec adds a step of kind StepExec: it accesses no memory, or effect is all that it does.
func (l *steps) exec(choice int64, r record, effect func(n *state, th *thread)) {
	l.step(verdict.StepExec, choice, r, effect)
}

// execDst adds a step of kind StepExec that assigns v to Dst.
func (l *steps) execDst(choice, v int64) {
	l.exec(choice, record{value: v}, func(_ *state, th *thread) { th.set(l.edge.Op.Dst, v) })
}

// fail adds a step at which a check fails.
func (l *steps) fail(r record, v *violation) {
	l.out = append(l.out, transition{
		label:  label{thread: l.t, kind: verdict.StepFail, edge: l.edge.ID, of: -1},
		record: r,
		fail:   v,
	})
}
