package analysis

import "fencepost/internal/ir"

// LoopRounds: how often can a loop go round each time it is entered? The loop is run alone, on the registers that its
// conditions depend on, from the values that constants give them where it is entered. Memory has no known value, and a
// condition that has none goes both ways, so the largest number of arrivals at the head is an upper bound. It depends on
// no memory, so it holds whatever other threads do.

const (
	maxLoopRounds = 1 << 10
	maxLoopStates = 1 << 12 // of the run of one loop
	maxLoopBack   = 1 << 9  // locations that are visited to find a value before a loop
)

// LoopRounds returns a function that returns how often a path comes to the head of a loop, at most, for each time that it
// enters the loop. It returns false if that is not known, or large. members has the locations of the loop.
func LoopRounds(p *ir.Program, f *ir.Func) func(head ir.Loc, members []ir.Loc) (int, bool) {
	into := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			into[e.To] = append(into[e.To], int32(i))
		}
	}
	inside := make([]bool, len(f.Locs))
	return func(head ir.Loc, members []ir.Loc) (int, bool) {
		for _, l := range members {
			inside[l] = true
		}
		defer func() {
			for _, l := range members {
				inside[l] = false
			}
		}()
		r := &loopRun{rounds: rounds{p: p, f: f, at: -1, vars: map[variable]int{}}, into: into, inside: inside, head: head, members: members}
		return r.arrivals()
	}
}

// loopRun is the run of one loop.
type loopRun struct {
	rounds
	into    [][]int32 // by location: the edges that lead to it
	inside  []bool    // by location: it is in the loop
	head    ir.Loc
	members []ir.Loc
}

// arrivals runs the loop, and returns the largest number of arrivals at its head.
func (r *loopRun) arrivals() (int, bool) {
	var entries []int32
	for _, l := range r.members {
		for _, i := range r.into[l] {
			if r.inside[r.f.Edges[i].From] {
				continue
			}
			if l != r.head {
				return 0, false
			}
			entries = append(entries, i)
		}
	}
	r.conditions()
	if len(r.order) == 0 {
		return 0, false
	}
	first := state{at: r.head, taken: 1, env: make([]value, len(r.order))}
	for i, v := range r.order {
		first.env[i] = r.before(entries, v.reg)
	}
	heads := map[string]int{r.valuesAt(&first): 1} // the rounds in which values were met at the head
	return explore(first, maxLoopRounds, maxLoopStates, func(s *state, reach func(state) bool) bool {
		for _, i := range r.f.Out(s.at) {
			next, ok := r.step(s, int(i))
			if !ok || !r.inside[next.at] {
				continue
			}
			r.forget(&next, &r.f.Edges[i])
			if next.at == r.head {
				next.taken++
				values := r.valuesAt(&next)
				if at, met := heads[values]; met && at != next.taken {
					return false // it may go round for ever
				}
				heads[values] = next.taken
			}
			if !reach(next) {
				return false
			}
		}
		return true
	})
}

// valuesAt returns the values of a state, to compare them with others.
func (r *loopRun) valuesAt(s *state) string {
	without := state{at: s.at, env: s.env}
	return without.key()
}

// forget makes the values unknown that an edge takes from elsewhere than registers.
func (r *loopRun) forget(s *state, e *ir.Edge) {
	if e.Op.Kind == ir.Assign {
		return
	}
	copied := false
	e.Op.Defs(func(reg ir.Reg) {
		i, ok := r.vars[register(reg)]
		if !ok || !s.env[i].known {
			return
		}
		if !copied {
			s.env, copied = append([]value(nil), s.env...), true
		}
		s.env[i] = value{}
	})
}

// conditions collects the registers that the conditions in the loop depend on.
func (r *loopRun) conditions() {
	each := func(f func(*ir.Edge)) {
		for _, l := range r.members {
			for _, i := range r.f.Out(l) {
				f(&r.f.Edges[i])
			}
		}
	}
	each(func(e *ir.Edge) {
		if e.Op.Kind == ir.Assume {
			r.need(e.Op.Val)
		}
	})
	for known := -1; known != len(r.order); {
		known = len(r.order)
		each(func(e *ir.Edge) {
			if v, _, val := r.assigns(e); v >= 0 && val != nil {
				r.need(val)
			}
		})
	}
}

// before returns the value of a register where the loop is entered by some edges, if constants alone decide it.
func (r *loopRun) before(entries []int32, reg ir.Reg) (out value) {
	seen := map[ir.Loc]bool{}
	var work []ir.Loc
	some := false
	// found notes a value; it returns false if there is not one value any more.
	found := func(v value) bool {
		same := v.known && (!some || out == v)
		some, out = true, v
		return same
	}
	// back notes what an edge says about the register, or goes on before it.
	back := func(i int32) bool {
		e := &r.f.Edges[i]
		defines := false
		e.Op.Defs(func(d ir.Reg) { defines = defines || d == reg })
		switch {
		case defines && e.Op.Kind == ir.Assign:
			return found(r.eval(e.Op.Val, make([]value, len(r.order))))
		case defines:
			return false
		case !seen[e.From]:
			seen[e.From] = true
			work = append(work, e.From)
		}
		return len(seen) <= maxLoopBack
	}
	for _, i := range entries {
		if !back(i) {
			return value{}
		}
	}
	if r.head == r.f.Entry && !found(r.initial(register(reg))) {
		return value{}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == r.f.Entry && !found(r.initial(register(reg))) {
			return value{}
		}
		for _, i := range r.into[at] {
			if !back(i) {
				return value{}
			}
		}
	}
	return out
}
