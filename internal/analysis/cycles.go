package analysis

import (
	"fencepost/internal/digraph"
	"fencepost/internal/ir"
)

// Cycles of automata. An edge lies on a cycle if and only if both its ends are in one
// strongly connected component. A depth-first
// search finds the edges that close a cycle; their targets cut every cycle.

// Components numbers the strongly connected components of f. With removed nil
// only the locations that the entry reaches count, and all others get -1. Otherwise the
// locations that removed marks are taken out of the automaton first and get -1, and all
// others get a component, whether the entry reaches them or not.
func Components(f *ir.Func, removed []bool) []int32 {
	s := digraph.NewSearch(len(f.Locs), arcsOf(f, removed, nil))
	switch {
	case len(f.Locs) == 0:
	case removed == nil:
		s.From(int(f.Entry))
	default:
		for l := range f.Locs {
			if !removed[l] {
				s.From(l)
			}
		}
	}
	return s.Component
}

// componentsWithout numbers the strongly connected components that are left without some edges, as Components does.
func componentsWithout(f *ir.Func, edges []bool) []int32 {
	comp, _ := digraph.Components(len(f.Locs), arcsOf(f, nil, edges))
	return comp
}

// arcsOf shows an automaton as a graph of its locations, without locations and edges that are marked as removed.
func arcsOf(f *ir.Func, locs, edges []bool) func(v, i int) (int, bool) {
	return func(v, i int) (int, bool) {
		out := f.Out(ir.Loc(v))
		if i == len(out) {
			return 0, false
		}
		e := &f.Edges[out[i]]
		if e.Op.Terminal() || locs != nil && locs[e.To] || edges != nil && edges[out[i]] {
			return digraph.Skip, true
		}
		return int(e.To), true
	}
}

// Parts finds the strongly connected components of parts of an automaton. A question takes as long as its part is
// large, so that loops inside loops can be asked for.
type Parts struct {
	search  *digraph.Search
	removed []bool
}

// NewParts returns the parts of f.
func NewParts(f *ir.Func) *Parts {
	removed := make([]bool, len(f.Locs))
	for l := range removed {
		removed[l] = true
	}
	return &Parts{digraph.NewSearch(len(f.Locs), arcsOf(f, removed, nil)), removed}
}

// Components returns the strongly connected components of the automaton that has only the given locations. The locations
// of a component are in the order in which they are given, and so are the components, by their first locations.
func (p *Parts) Components(locs []ir.Loc) [][]ir.Loc {
	p.search.Restart()
	for _, l := range locs {
		p.removed[l] = false
		p.search.Forget(int(l))
	}
	for _, l := range locs {
		p.search.From(int(l))
	}
	var out [][]ir.Loc
	at := make([]int, p.search.Count) // by component: its index in out, plus 1
	for _, l := range locs {
		c := p.search.Component[l]
		if at[c] == 0 {
			out = append(out, nil)
			at[c] = len(out)
		}
		out[at[c]-1] = append(out[at[c]-1], l)
	}
	for _, l := range locs {
		p.removed[l] = true
	}
	return out
}

// OnCycle reports whether control can return to e after it. component must be the
// result of Components for the function of e.
func OnCycle(e *ir.Edge, component []int32) bool {
	return !e.Op.Terminal() && component[e.From] >= 0 && component[e.From] == component[e.To]
}

// CutCycles returns locations so that every cycle of f contains one of them. In each
// strongly connected component it picks a location that avoid does not mark, if there is
// one, and among those the location with the most edges inside the component, until no cycle
// is left.
func CutCycles(f *ir.Func, avoid []bool) []ir.Loc {
	removed := make([]bool, len(f.Locs))
	var cut []ir.Loc
	for {
		comp := Components(f, removed)
		best := map[int32]ir.Loc{}
		degree := make([]int, len(f.Locs))
		for i := range f.Edges {
			e := &f.Edges[i]
			if c := comp[e.From]; c >= 0 && c == comp[e.To] {
				degree[e.From]++
				degree[e.To]++
			}
		}
		better := func(a, b ir.Loc) bool {
			if avoid[a] != avoid[b] {
				return !avoid[a]
			}
			return degree[a] > degree[b]
		}
		for l := range f.Locs {
			if degree[l] == 0 {
				continue
			}
			if old, ok := best[comp[l]]; !ok || better(ir.Loc(l), old) {
				best[comp[l]] = ir.Loc(l)
			}
		}
		if len(best) == 0 {
			return cut
		}
		for l := range f.Locs {
			if b, ok := best[comp[l]]; ok && b == ir.Loc(l) {
				removed[l] = true
				cut = append(cut, b)
			}
		}
	}
}

// localCycleHeads returns the locations that back edges lead to in a depth-first search that
// leaves local locations only.
func localCycleHeads(f *ir.Func, local []bool) []bool {
	heads := make([]bool, len(f.Locs))
	const open, done = 1, 2
	state := make([]uint8, len(f.Locs))
	type frame struct {
		loc  ir.Loc
		next int
	}
	for root := range f.Locs {
		if !local[root] || state[root] != 0 {
			continue
		}
		state[root] = open
		for stack := []frame{{loc: ir.Loc(root)}}; len(stack) > 0; {
			top := &stack[len(stack)-1]
			out := f.Out(top.loc)
			if top.next == len(out) {
				state[top.loc] = done
				stack = stack[:len(stack)-1]
				continue
			}
			e := &f.Edges[out[top.next]]
			top.next++
			switch {
			case e.Op.Terminal() || !local[e.To]:
			case state[e.To] == open:
				heads[e.To] = true
			case state[e.To] == 0:
				state[e.To] = open
				stack = append(stack, frame{loc: e.To})
			}
		}
	}
	return heads
}
