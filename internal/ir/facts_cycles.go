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

// components numbers the strongly connected components that the entry reaches;
// other locations get -1.
func components(f *Func) []int32 {
	n := len(f.Locs)
	comp, low, index := make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range comp {
		comp[i] = -1
	}
	if n == 0 {
		return comp
	}
	type frame struct {
		loc  Loc
		next int
	}
	var (
		count, numbered int32
		open            []Loc
		stack           = []frame{{loc: f.Entry}}
	)
	enter := func(l Loc) {
		numbered++
		index[l], low[l] = numbered, numbered
		open = append(open, l)
	}
	enter(f.Entry)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		l, out := top.loc, f.Out(top.loc)
		if top.next < len(out) {
			e := &f.Edges[out[top.next]]
			top.next++
			switch {
			case e.Op.ends():
			case index[e.To] == 0:
				enter(e.To)
				stack = append(stack, frame{loc: e.To})
			case comp[e.To] < 0:
				low[l] = min(low[l], index[e.To])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := stack[len(stack)-1].loc
			low[up] = min(low[up], low[l])
		}
		if low[l] == index[l] {
			for done := false; !done; {
				m := open[len(open)-1]
				open = open[:len(open)-1]
				comp[m] = count
				done = m == l
			}
			count++
		}
	}
	return comp
}
