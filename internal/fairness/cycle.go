package fairness

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// witness returns the execution to the first state of a component and from there round a cycle that meets
// all conditions of fairness.
func (c *component) witness() (*verdict.Witness, error) {
	g := c.g
	var path []int32
	for s := c.states[0]; s >= 0; s = g.parent[s] {
		path = append(path, s)
	}
	slices.Reverse(path)
	r := &rebuilder{g: g, rec: engine.NewRecorder(g.y)}
	r.start(path[0])
	for _, s := range path[1:] {
		r.to(s, nil)
	}
	before := len(r.rec.Witness().Steps)
	at := c.states[0]
	for _, leg := range c.legs() {
		r.to(leg.to, &leg)
		at = leg.to
	}
	if r.err == nil && at != c.states[0] {
		panic("BUG: a cycle does not come back")
	}
	w := r.rec.Witness()
	w.Repeats = len(w.Steps) - before
	return w, r.err
}

// legs returns the arcs of a cycle from the first state that meets all conditions.
func (c *component) legs() []arc {
	left := slices.Clone(c.wants)
	at := c.states[0]
	var out []arc
	note := func() { // which conditions the state and the newest arc meet
		left = slices.DeleteFunc(left, func(w want) bool {
			return w.state != nil && w.state(at) || w.arc != nil && len(out) > 0 && w.arc(&out[len(out)-1])
		})
	}
	walk := func(steps []arc) {
		for _, a := range steps {
			out = append(out, a)
			at = a.to
			note()
		}
	}
	note()
	for len(left) > 0 {
		w := left[0]
		walk(c.path(at, func(i int32, a *arc) bool {
			return w.state != nil && w.state(i) || a != nil && w.arc != nil && w.arc(a)
		}))
	}
	if home := c.states[0]; at != home || len(out) == 0 {
		walk(c.path(at, func(i int32, a *arc) bool { return a != nil && i == home }))
	}
	return out
}

// path returns the fewest arcs in the component from a state to one that is right. right gets a state and
// the arc that leads there, nil for the first state.
func (c *component) path(from int32, right func(int32, *arc) bool) []arc {
	type origin struct {
		state int32
		arc   arc
	}
	by := map[int32]origin{}
	for work := []int32{from}; len(work) > 0; work = work[1:] {
		s := work[0]
		for i := range c.g.next[s] {
			a := &c.g.next[s][i]
			if !c.inside(a) {
				continue
			}
			_, known := by[a.to]
			if !right(a.to, a) {
				if !known && a.to != from {
					by[a.to] = origin{s, *a}
					work = append(work, a.to)
				}
				continue
			}
			out := []arc{*a}
			for s != from {
				out = append(out, by[s].arc)
				s = by[s].state
			}
			slices.Reverse(out)
			return out
		}
	}
	panic("BUG: a component is not connected")
}

// rebuilder finds the steps between states. Registers that are not read any more have other values here
// than in the graph, which makes no difference.
type rebuilder struct {
	g   *graph
	rec *engine.Recorder
	err error
}

// start takes the local steps before the first state.
func (r *rebuilder) start(first int32) {
	s := r.rec.State()
	var steps []memory.Step
	r.g.eager.RunAll(s, func() {
		if steps == nil && r.is(first) {
			steps = append([]memory.Step{}, r.g.eager.Trail()...)
		}
	})
	r.take(steps)
}

// is reports whether the execution is in a state.
func (r *rebuilder) is(n int32) bool {
	s := r.rec.State()
	return !s.Faulted() && !s.Over() && string(r.g.y.Codec().Encode(s, nil)) == r.g.codes[n]
}

// to takes a step to a state: by the arc, if it is not nil.
func (r *rebuilder) to(n int32, by *arc) {
	if r.err != nil {
		return
	}
	g, s := r.g, r.rec.State()
	var steps []memory.Step
	for _, st := range g.y.Enabled(s, nil) {
		if by != nil && (st.Thread != by.thread || (st.Kind == memory.Flush) != (by.kind == flush)) {
			continue
		}
		if by != nil && by.kind == flush && s.Buffer(idOf(st))[st.Index].Addr != by.addr {
			continue
		}
		mark := s.Mark()
		g.y.Apply(s, st)
		g.eager.Run(s, int(st.Thread), func() {
			if steps == nil && r.is(n) {
				steps = append([]memory.Step{st}, g.eager.Trail()...)
			}
		})
		s.Undo(mark)
	}
	if steps == nil {
		r.err = fmt.Errorf("no step leads on in an endless execution")
		return
	}
	r.take(steps)
}

func (r *rebuilder) take(steps []memory.Step) {
	for _, st := range steps {
		r.rec.Step(st)
	}
}
