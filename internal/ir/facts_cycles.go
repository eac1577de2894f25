package ir

// Cycles of automata. A depth-first search finds the edges that close a cycle;
// the places they lead to cut every cycle. Tarjan's algorithm finds the strongly
// connected components, and an edge is on a cycle if and only if both its ends
// are in one.

// localCycleHeads is the set of locations that back edges lead to in a search
// that leaves local locations only.
func localCycleHeads(f *Func, local []bool) []bool {
	heads := make([]bool, len(f.Locs))
	const open, done = 1, 2
	state := make([]uint8, len(f.Locs))
	type frame struct {
		loc  Loc
		next int
	}
	for root := range f.Locs {
		if !local[root] || state[root] != 0 {
			continue
		}
		state[root] = open
		for stack := []frame{{loc: Loc(root)}}; len(stack) > 0; {
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
			case e.Op.ends() || !local[e.To]:
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

// inCycle reports whether control can go through e, on, and come back to it.
func inCycle(e *Edge, component []int32) bool {
	return !e.Op.ends() && component[e.From] >= 0 && component[e.From] == component[e.To]
}

// Components numbers the strongly connected parts of the automaton that the entry
// reaches; other locations get -1. With gone not nil, the locations it marks are
// taken out first, and all others count, whether the entry reaches them or not.
func (f *Func) Components(gone []bool) []int32 {
	n := len(f.Locs)
	t := tarjan{f: f, gone: gone, comp: make([]int32, n), low: make([]int32, n), index: make([]int32, n)}
	for i := range t.comp {
		t.comp[i] = -1
	}
	if n == 0 {
		return t.comp
	}
	if gone == nil {
		t.from(f.Entry)
		return t.comp
	}
	for l := range n {
		if !gone[l] && t.index[l] == 0 {
			t.from(Loc(l))
		}
	}
	return t.comp
}

type tarjan struct {
	f                *Func
	gone             []bool
	comp, low, index []int32
	count, numbered  int32
	open             []Loc
}

func (t *tarjan) enter(l Loc) {
	t.numbered++
	t.index[l], t.low[l] = t.numbered, t.numbered
	t.open = append(t.open, l)
}

func (t *tarjan) from(root Loc) {
	type frame struct {
		loc  Loc
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
			case e.Op.ends() || t.gone != nil && t.gone[e.To]:
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
			t.close(l)
		}
	}
}

// close takes the part that l began off the open ones.
func (t *tarjan) close(l Loc) {
	for done := false; !done; {
		m := t.open[len(t.open)-1]
		t.open = t.open[:len(t.open)-1]
		t.comp[m] = t.count
		done = m == l
	}
	t.count++
}
