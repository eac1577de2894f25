package trace

import "slices"

// EventOf returns the event that a step of the witness belongs to, or -1.
func (t *Trace) EventOf(step int) int {
	return slices.IndexFunc(t.Events, func(e Event) bool { return slices.Contains(e.Steps, step) })
}

// noEdges says, by event, that no edge has led to it.
func (t *Trace) noEdges() []int32 { return slices.Repeat([]int32{-1}, len(t.Events)) }

// path returns a shortest path along happens-before from one event to another whose last
// edge is not program order, or nil.
func (t *Trace) path(from, to int) []Edge {
	via := t.noEdges()
	queue := []int{from}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, i := range t.out[at] {
			e := t.Edges[i]
			if e.To == from || via[e.To] >= 0 || e.To == to && e.Kind == PO {
				continue
			}
			via[e.To] = i
			if e.To == to {
				var path []Edge
				for at := to; at != from; at = t.Edges[via[at]].From {
					path = append(path, t.Edges[via[at]])
				}
				slices.Reverse(path)
				return path
			}
			queue = append(queue, e.To)
		}
	}
	return nil
}

// CycleThrough returns a cycle through two events of one thread: program order from the
// first to the second, then a shortest path back that arrives from another thread. It
// returns nil if there is none. Consecutive edges of program order, which is transitive,
// are joined to one. This is the cycle of an attack [BDM13 Thm 1]: a cycle that came
// back by program order would need an earlier store to be delayed.
func (t *Trace) CycleThrough(first, second int) []Edge {
	back := t.path(second, first)
	if back == nil {
		return nil
	}
	cycle := []Edge{{From: first, To: second, Kind: PO}}
	for _, e := range back {
		if last := &cycle[len(cycle)-1]; e.Kind == PO && last.Kind == PO {
			last.To = e.To
			continue
		}
		cycle = append(cycle, e)
	}
	return cycle
}
