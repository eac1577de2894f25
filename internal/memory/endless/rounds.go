package endless

import "fencepost/internal/memory"

// Rounds returns, for an endless state, steps after which the threads that spin are in states that come
// back, and the steps of one round of each of them, after which the state is the same again. It returns
// false if some thread does not spin. Whether threads notice each other's rounds is Holds' to say: under
// TSO and PSO there may be too many states to say it again for a state that was judged under SC.
func (x *Test) Rounds(s *memory.State) (before, round []memory.Step, ok bool) {
	spin, ok := x.spinning(s)
	if !ok {
		return nil, nil, false
	}
	for _, t := range spin {
		x.alone(s, t)
		way, cycle := x.graph.round()
		before = append(before, way...)
		round = append(round, cycle...)
	}
	return before, round, true
}

// round returns the steps to a state that comes back, and from there back to it. A thread that writes
// comes back to the first state, in which memory is as the other threads need it.
func (g *graph) round() (way, cycle []memory.Step) {
	if cycle := g.path(0); cycle != nil {
		return nil, cycle
	}
	at := make([]int, len(g.next))
	for i := range at {
		at[i] = -1
	}
	n := 0
	for at[n] < 0 {
		at[n] = len(way)
		way = append(way, g.next[n][0].step)
		n = g.next[n][0].to
	}
	return way[:at[n]], way[at[n]:]
}

// path returns the fewest steps from a state back to itself, nil if there are none.
func (g *graph) path(from int) []memory.Step {
	type origin struct {
		state int
		step  memory.Step
	}
	by := make([]*origin, len(g.next))
	for work := []int{from}; len(work) > 0; work = work[1:] {
		n := work[0]
		for _, m := range g.next[n] {
			if by[m.to] != nil {
				continue
			}
			by[m.to] = &origin{n, m.step}
			if m.to == from {
				var out []memory.Step
				for at, first := from, true; first || at != from; first = false {
					out = append(out, by[at].step)
					at = by[at].state
				}
				for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
					out[i], out[j] = out[j], out[i]
				}
				return out
			}
			work = append(work, m.to)
		}
	}
	return nil
}
