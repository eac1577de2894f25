package explore

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// scFactor is how many times more states SC may have than the graph before the comparison is given up.
const scFactor = 20

// Graph returns the graph of the states of a program, with at most limit states.
func Graph(ctx context.Context, in query.Input, model query.Model, limit int, opt query.Options) (*verdict.StateGraph, []verdict.Diagnostic, error) {
	run := pipeline.Open(in)
	var out *verdict.StateGraph
	err := run.Do(ctx, func(ctx context.Context) error {
		w, err := open(ctx, run, model, opt)
		if err != nil {
			return err
		}
		run.Stage = "graph"
		g := &grapher{p: run.Program, flat: w.flat, model: w.model, limit: limit, index: map[string]int{}}
		out = &verdict.StateGraph{Program: in.Name, Model: w.model.String(), Limit: limit}
		if err := g.explore(ctx); err != nil {
			return err
		}
		out.Nodes, out.Edges, out.Complete = g.nodes, emptyNotNil(g.edges), !g.cut
		if w.model == memory.SC {
			out.Compared = true
			return nil
		}
		sc := &grapher{p: run.Program, flat: w.flat, model: memory.SC, limit: scFactor * limit, index: map[string]int{}, keysOnly: true}
		if err := sc.explore(ctx); err != nil {
			return err
		}
		if out.Compared = !sc.cut; out.Compared {
			return g.markWeak(ctx, sc.index)
		}
		return nil
	})
	if err != nil || query.HasErrors(run.Diagnostics) {
		return nil, run.Diagnostics, err
	}
	return out, run.Diagnostics, nil
}

// grapher visits the states of a program breadth first. Silent steps are taken at once, so that nodes are the states
// in which a user has something to choose.
type grapher struct {
	p        *pipeline.Program
	flat     *ir.Program
	model    memory.Model
	limit    int
	keysOnly bool // only the keys of states are wanted

	index map[string]int // nodes by key
	nodes []verdict.GraphNode
	edges []verdict.GraphEdge
	cut   bool
}

// at returns the walk to a node.
func (g *grapher) at(names []string) *walk {
	w := newWalk(g.p, g.flat, g.model)
	for _, name := range names {
		st, why := w.find(name)
		if why != "" {
			panic("BUG: a step to a state is not possible again: " + why)
		}
		w.take(st, name)
	}
	return w
}

// key identifies the state of a walk.
func (g *grapher) key(w *walk) string {
	s := w.rec.State()
	if f, failed := s.Fault(); failed {
		return fmt.Sprintf("failed %d %s", f.Thread, w.rec.Fault(f))
	}
	key := string(w.y.Codec().Encode(s, nil))
	if s.Over() {
		return "exit " + key
	}
	return key
}

// add returns the node of the state of a walk.
func (g *grapher) add(w *walk, depth int) (node int, ok bool) {
	key := g.key(w)
	if i, known := g.index[key]; known {
		return i, true
	}
	if len(g.nodes) >= g.limit {
		g.cut = true
		return 0, false
	}
	i := len(g.nodes)
	g.index[key] = i
	n := verdict.GraphNode{Run: slices.Clone(emptyNotNil(w.names)), Depth: depth}
	if !g.keysOnly {
		st := &verdict.State{}
		for t := range w.y.Threads() {
			next, _ := w.next(t)
			st.Next = append(st.Next, next...)
			n.Waiting += len(w.rec.State().Buffer(ir.ThreadID(t)))
		}
		w.ending(st)
		n.Final, n.End, n.Bad = st.Final, st.End, len(st.Violations) > 0
	}
	g.nodes = append(g.nodes, n)
	return i, true
}

func (g *grapher) explore(ctx context.Context) error {
	first := g.at(nil)
	first.advance()
	g.add(first, 0)
	for i := 0; i < len(g.nodes); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := g.nodes[i]
		here := g.at(from.Run)
		for t := range here.y.Threads() {
			flushes, steps := here.enabled(t)
			flush := len(flushes)
			for k := range flush + len(steps) {
				name := stepName(false, t, k-flush, len(steps))
				if k < flush {
					name = stepName(true, t, k, flush)
				}
				g.step(i, &from, name)
			}
		}
	}
	return nil
}

// step adds the edge of a step.
func (g *grapher) step(i int, from *verdict.GraphNode, name string) {
	w := g.at(from.Run)
	st, _ := w.find(name)
	w.take(st, name)
	taken := w.rec.Witness().Steps[len(from.Run)]
	w.advance()
	to, ok := g.add(w, from.Depth+1)
	if !ok || g.keysOnly {
		return
	}
	one := verdict.Witness{Steps: []verdict.Step{taken}}
	g.p.AddTexts(&one)
	g.edges = append(g.edges, verdict.GraphEdge{From: i, To: to, Step: one.Steps[0]})
}

// markWeak marks the states that SC does not have, in whatever order the stores that wait reach memory.
func (g *grapher) markWeak(ctx context.Context, sc map[string]int) error {
	keepAll := func(ir.ThreadID, ir.Reg) bool { return true }
	plain := memory.New(g.flat, memory.SC, memory.Options{Keep: keepAll, Ends: true}).Codec()
	for i := range g.nodes {
		w := g.at(g.nodes[i].Run)
		s := w.rec.State()
		if s.Faulted() || s.Over() {
			_, known := sc[g.key(w)]
			g.nodes[i].Weak = s.Faulted() && !known
			continue
		}
		drained, known := false, false
		seen := map[string]bool{} // orders of stores that lead to the same state need not be tried again
		var drain func()
		drain = func() {
			if s.Drained() {
				drained = true
				_, known = sc[string(plain.Encode(s, nil))]
				return
			}
			key := g.key(w)
			if seen[key] || ctx.Err() != nil {
				return
			}
			seen[key] = true
			for t := range w.y.Threads() {
				flushes, _ := w.enabled(t)
				for _, st := range slices.Clone(flushes) {
					mark := s.Mark()
					w.y.Apply(s, st)
					if !s.Faulted() && !known {
						drain()
					}
					s.Undo(mark)
				}
			}
		}
		drain()
		if err := ctx.Err(); err != nil {
			return err
		}
		g.nodes[i].Weak = drained && !known
	}
	return nil
}
