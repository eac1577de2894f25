package analysis

import "fencepost/internal/ir"

// Cycles of automata. Tarjan's algorithm finds the strongly connected components, and an
// edge lies on a cycle if and only if both its ends are in one component. A depth-first
// search finds the edges that close a cycle; their targets cut every cycle.

// Components numbers the strongly connected components of f. With removed nil
// only the locations that the entry reaches count, and all others get -1. Otherwise the
// locations that removed marks are taken out of the automaton first and get -1, and all
// others get a component, whether the entry reaches them or not.
func Components(f *ir.Func, removed []bool) []int32 {
	n := len(f.Locs)
	t := tarjan{f: f, removed: removed, comp: make([]int32, n), low: make([]int32, n), index: make([]int32, n)}
	for i := range t.comp {
		t.comp[i] = -1
	}
	if n == 0 {
		return t.comp
	}
	if removed == nil {
		t.search(f.Entry)
		return t.comp
	}
	for l := range n {
		if !removed[l] && t.index[l] == 0 {
			t.search(ir.Loc(l))
		}
	}
	return t.comp
}

// componentsWithout numbers the strongly connected components that are left without some edges, as Components does.
func componentsWithout(f *ir.Func, edges []bool) []int32 {
	n := len(f.Locs)
	t := tarjan{f: f, without: edges, comp: make([]int32, n), low: make([]int32, n), index: make([]int32, n)}
	for i := range t.comp {
		t.comp[i] = -1
	}
	for l := range n {
		if t.index[l] == 0 {
			t.search(ir.Loc(l))
		}
	}
	return t.comp
}

// Parts finds the strongly connected components of parts of an automaton. A question takes as long as its part is
// large, so that loops inside loops can be asked for.
type Parts struct{ t tarjan }

// NewParts returns the parts of f.
func NewParts(f *ir.Func) *Parts {
	n := len(f.Locs)
	p := &Parts{tarjan{f: f, removed: make([]bool, n), comp: make([]int32, n), low: make([]int32, n), index: make([]int32, n)}}
	for l := range p.t.removed {
		p.t.removed[l] = true
	}
	return p
}

// Components returns the strongly connected components of the automaton that has only the given locations. The locations
// of a component are in the order in which they are given, and so are the components, by their first locations.
func (p *Parts) Components(locs []ir.Loc) [][]ir.Loc {
	p.t.count, p.t.numbered = 0, 0
	for _, l := range locs {
		p.t.removed[l], p.t.index[l], p.t.comp[l] = false, 0, -1
	}
	for _, l := range locs {
		if p.t.index[l] == 0 {
			p.t.search(l)
		}
	}
	var out [][]ir.Loc
	at := make([]int, p.t.count) // by component: its index in out, plus 1
	for _, l := range locs {
		c := p.t.comp[l]
		if at[c] == 0 {
			out = append(out, nil)
			at[c] = len(out)
		}
		out[at[c]-1] = append(out[at[c]-1], l)
	}
	for _, l := range locs {
		p.t.removed[l] = true
	}
	return out
}

// OnCycle reports whether control can return to e after it. component must be the
// result of Components for the function of e.
func OnCycle(e *ir.Edge, component []int32) bool {
	return !e.Op.Terminal() && component[e.From] >= 0 && component[e.From] == component[e.To]
}

type tarjan struct {
	f                *ir.Func
	removed          []bool
	without          []bool // edges that are left out, nil: none
	comp, low, index []int32
	count, numbered  int32
	open             []ir.Loc // locations whose component is not complete
}

func (t *tarjan) enter(l ir.Loc) {
	t.numbered++
	t.index[l], t.low[l] = t.numbered, t.numbered
	t.open = append(t.open, l)
}

// search finds the components of everything that root reaches.
func (t *tarjan) search(root ir.Loc) {
	type frame struct {
		loc  ir.Loc
		next int
	}
	stack := []frame{{loc: root}}
	t.enter(root)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		l, out := top.loc, t.f.Out(top.loc)
		if top.next < len(out) {
			e := &t.f.Edges[out[top.next]]
			top.next++
			switch {
			case e.Op.Terminal() || t.removed != nil && t.removed[e.To] || t.without != nil && t.without[out[top.next-1]]:
			case t.index[e.To] == 0:
				t.enter(e.To)
				stack = append(stack, frame{loc: e.To})
			case t.comp[e.To] < 0:
				t.low[l] = min(t.low[l], t.index[e.To])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := stack[len(stack)-1].loc
			t.low[up] = min(t.low[up], t.low[l])
		}
		if t.low[l] == t.index[l] {
			t.complete(l)
		}
	}
}

// complete numbers the component whose first location is l.
func (t *tarjan) complete(l ir.Loc) {
	for done := false; !done; {
		m := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.comp[m] = t.count
		done = m == l
	}
	t.count++
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
