package fairness

import (
	"slices"

	"fencepost/internal/digraph"
	"fencepost/internal/ir"
)

// components returns the strongly connected components of the graph, without the arcs that skip says. The states of each
// are in order.
func (g *graph) components(skip func(*arc) bool) [][]int32 {
	of, count := digraph.Components(len(g.codes), func(v, i int) (int, bool) {
		if i == len(g.next[v]) {
			return 0, false
		}
		if a := &g.next[v][i]; a.to != nowhere && !skip(a) {
			return int(a.to), true
		}
		return digraph.Skip, true
	})
	out := make([][]int32, count)
	for v, c := range of {
		out[c] = append(out[c], int32(v))
	}
	return out
}

// component is a strongly connected component, and the conditions that an execution in it must meet to be
// fair.
type component struct {
	g      *graph
	states []int32
	in     map[int32]bool
	skip   func(*arc) bool
	held   bool // a thread is inside an atomic section in all states
	wants  []want
}

// want is a condition of fairness: some state or arc of the cycle meets it.
type want struct {
	thread int32
	buffer bool
	addr   uint64 // of the entries, for a buffer
	state  func(i int32) bool
	arc    func(a *arc) bool
}

// fair reports whether some endless execution in a component is fair: each thread moves, has ended, or
// cannot move at some time; every entry of a buffer leaves it. It returns false if an assumption stops a
// thread in all states of the component, or main has returned. held says that one thread is inside an atomic section in
// all states: then the others wait for it, and so do the entries of their buffers.
func (g *graph) fair(states []int32, skip func(*arc) bool, held bool) (*component, bool) {
	c := &component{g: g, states: states, in: map[int32]bool{}, skip: skip, held: held}
	for _, s := range states {
		c.in[s] = true
	}
	moves := map[int32]bool{}
	loops := false
	for _, s := range states {
		for i := range g.next[s] {
			if a := &g.next[s][i]; c.inside(a) {
				loops = true
				moves[a.thread] = moves[a.thread] || a.kind == move
			}
		}
	}
	if !loops {
		return nil, false
	}
	g.y.Codec().Decode(g.s, []byte(g.codes[states[0]]))
	var pending []want
	ended := make([]bool, g.y.Threads())
	for t := range g.y.Threads() {
		id := ir.ThreadID(t)
		ended[t] = !g.s.Started(id) || g.y.Thread(g.s, t).Ended()
		for _, e := range g.s.Buffer(id) {
			if held {
				break
			}
			pending = append(pending, want{thread: int32(t), buffer: true, addr: e.Addr})
		}
	}
	for t := range g.y.Threads() {
		if !ended[t] {
			if !moves[int32(t)] && c.stopped(t) {
				return nil, false
			}
			c.add(want{thread: int32(t)}, moves[int32(t)])
		}
	}
	for _, w := range pending {
		c.add(w, true)
	}
	for _, w := range c.wants {
		if !c.meets(&w) {
			return nil, false
		}
	}
	return c, true
}

// inside reports whether an arc stays in the component.
func (c *component) inside(a *arc) bool { return c.in[a.to] && !c.skip(a) }

// add adds a condition. moves says that some arc can meet it.
func (c *component) add(w want, moves bool) {
	g := c.g
	switch {
	case w.buffer:
		w.arc = func(a *arc) bool { return a.kind == flush && a.thread == w.thread && a.addr == w.addr }
		w.state = func(i int32) bool {
			g.y.Codec().Decode(g.s, []byte(g.codes[i]))
			for _, e := range g.s.Buffer(ir.ThreadID(w.thread)) {
				if e.Addr == w.addr {
					return false
				}
			}
			return true
		}
	case moves:
		w.arc = func(a *arc) bool { return a.kind == move && a.thread == w.thread }
	default:
		w.state = func(i int32) bool {
			return !slices.ContainsFunc(g.next[i], func(a arc) bool { return a.kind == move && a.thread == w.thread })
		}
	}
	c.wants = append(c.wants, w)
}

// meets reports whether some state or arc of the component meets a condition.
func (c *component) meets(w *want) bool {
	for _, s := range c.states {
		if w.state != nil && w.state(s) {
			return true
		}
		for i := range c.g.next[s] {
			if a := &c.g.next[s][i]; w.arc != nil && c.inside(a) && w.arc(a) {
				return true
			}
		}
	}
	return false
}

// stopped reports whether an assumption, and nothing that other threads can change, keeps a thread from
// moving in a state in which it cannot move.
func (c *component) stopped(t int) bool {
	g := c.g
	outside, stops := false, false // some state is outside sections of other threads; inside one, the thread does not wait
	for _, s := range c.states {
		can := slices.ContainsFunc(g.next[s], func(a arc) bool { return a.kind == move && int(a.thread) == t })
		g.y.Codec().Decode(g.s, []byte(g.codes[s]))
		h := g.s.Holder()
		inside := !c.held && h >= 0 && h != t
		outside = outside || !inside
		if th := g.y.Thread(g.s, t); can || th.Waits() || c.held && th.WaitsForever() {
			continue
		}
		if !inside {
			return true
		}
		stops = true
	}
	return stops && !outside // else what stops it shows in the states outside
}

// bottom reports whether nothing leads out of a component, and the program cannot end in it.
func (g *graph) bottom(states []int32) bool {
	in := map[int32]bool{}
	for _, s := range states {
		in[s] = true
	}
	for _, s := range states {
		if g.ends[s] {
			return false
		}
		for i := range g.next[s] {
			if a := &g.next[s][i]; a.kind != wake && !in[a.to] {
				return false
			}
		}
	}
	return true
}
