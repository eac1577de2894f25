package fairness

import (
	"context"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
)

// Answer is the result of a search.
type Answer struct {
	Violation *engine.Violation // nil: none was found
	Unknown   string            // why the search did not finish, "" if it did
	States    int64
	Arcs      int64
	Full      *ir.Edge // a store that found its buffer full, nil: there was none
}

// Search looks for an endless execution that is fair as the properties of the task say.
func Search(ctx context.Context, task *engine.Task) (*Answer, error) {
	g := newGraph(task)
	why, err := g.explore(ctx)
	out := &Answer{Unknown: why, States: int64(len(g.codes)), Arcs: g.arcs}
	for i, e := range g.y.Edges() {
		if g.s.Blocked[i] {
			out.Full = e
			break
		}
	}
	if why != "" || err != nil {
		return out, err
	}
	starving := int32(-1)
	if name := task.Props.Starving; name != "" {
		if starving = threadOf(task.Program, name); starving < 0 {
			return nil, fmt.Errorf("there is no thread %s", name)
		}
	}
	// A thread that starves does nothing that others notice.
	skip := func(a *arc) bool { return a.kind == wake || a.thread == starving && a.effect }
	var best *component
	search := func(skip func(*arc) bool, held bool) {
		for _, states := range g.components(skip) {
			if best != nil && states[0] > best.states[0] {
				continue // farther away
			}
			if task.Props.Fairness == property.Random && starving < 0 && !g.bottom(states) {
				continue
			}
			c, ok := g.fair(states, skip, held)
			if ok && (starving < 0 || g.runs(states[0], int(starving))) {
				best = c
			}
		}
	}
	search(skip, false)
	if inner := g.inner(); inner != nil {
		search(func(a *arc) bool { return skip(a) || a.to == nowhere || !inner[a.to] }, true)
	}
	if best == nil {
		return out, nil
	}
	w, err := best.witness()
	if err != nil {
		return nil, err
	}
	out.Violation = &engine.Violation{Kind: engine.NonTermination, Edge: ir.NoEdge, Witness: w}
	return out, nil
}

// inner returns in which states a thread is inside an atomic section, nil if there is none.
func (g *graph) inner() []bool {
	var out []bool
	for i, code := range g.codes {
		g.y.Codec().Decode(g.s, []byte(code))
		if g.s.Holder() < 0 {
			continue
		}
		if out == nil {
			out = make([]bool, len(g.codes))
		}
		out[i] = true
	}
	return out
}

// runs reports whether a thread has begun and not ended in a state.
func (g *graph) runs(state int32, t int) bool {
	g.y.Codec().Decode(g.s, []byte(g.codes[state]))
	return g.s.Started(ir.ThreadID(t)) && !g.y.Thread(g.s, t).Ended()
}

func threadOf(p *ir.Program, name string) int32 {
	for t := range p.Threads {
		if p.Threads[t].Name == name {
			return int32(t)
		}
	}
	return -1
}

func idOf(st memory.Step) ir.ThreadID { return ir.ThreadID(st.Thread) }
