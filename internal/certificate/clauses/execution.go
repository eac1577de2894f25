package clauses

import (
	"slices"

	"fencepost/internal/ir"
)

// What a model of the clauses says happens. Models can be no executions, so nothing relies on it: the rules of replay say
// whether it is one.

// Step is an operation in a model.
type Step struct {
	Thread ir.ThreadID
	Edge   ir.EdgeID
	Done   bool  // the thread goes on after it; else it tries it, and stays
	Choice int64 // the value that a Havoc picks
	Point  int   // its position among all steps that other threads notice, from 1 on; 0: they do not notice it
	Waits  bool  // it is a store that reaches memory there
}

// Execution returns what happens in a model, the steps of each thread in their order.
func (f *Formula) Execution(model func(Lit) bool) []Step {
	x := f.encoder
	holds := func(l Lit) bool { return l == yes || l != no && model(l) }
	var on []int
	for p := range x.points {
		if holds(x.points[p].on) {
			on = append(on, p)
		}
	}
	slices.SortFunc(on, func(p, q int) int {
		if _, said := x.firsts[[2]int{min(p, q), max(p, q)}]; !said && !x.always(p, q) && !x.always(q, p) {
			return p - q // of two points only: in either order
		}
		if holds(x.before(p, q)) {
			return -1
		}
		return 1
	})
	position := map[int]int{}
	for i, p := range on {
		position[p] = i + 1
	}
	var out []Step
	for _, r := range x.steps {
		if !holds(r.tries) {
			continue
		}
		s := Step{Thread: r.thread, Edge: r.edge, Done: holds(r.on)}
		if r.registered {
			for i, l := range r.choice {
				if holds(l) {
					s.Choice |= 1 << i
				}
			}
		}
		if r.point >= 0 {
			s.Point, s.Waits = position[r.point], x.points[r.point].waits
		}
		out = append(out, s)
	}
	return out
}
