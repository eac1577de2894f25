package trace

import "slices"

// EventOf is the event a step of the witness belongs to, or -1.
func (t *Trace) EventOf(step int) int {
	return slices.IndexFunc(t.Events, func(e Event) bool { return slices.Contains(e.Steps, step) })
}

// path is a shortest way from one event to another along happens-before that
// does not arrive by program order, or nil.
func (t *Trace) path(from, to int) []Edge {
	via := make([]int32, len(t.Events))
	for i := range via {
		via[i] = -1
	}
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
				var way []Edge
				for at := to; at != from; at = t.Edges[via[at]].From {
					way = append(way, t.Edges[via[at]])
				}
				slices.Reverse(way)
				return way
			}
			queue = append(queue, e.To)
		}
	}
	return nil
}

// Through is a cycle by way of an event and a later one of the same thread: program
// order from the first to the second, then a shortest way back that arrives from
// another thread, or nil. Program order is transitive, and edges of it in a row are
// one. This is the cycle of an attack [BDM13 Thm 1]: one that came back by program order
// would need an earlier store to be delayed.
func (t *Trace) Through(first, second int) []Edge {
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
