package transform

import (
	"fmt"

	"fencepost/internal/ir"
)

// Functions that end the program. The idea: control never comes back from a function such as fatal() with a call of
// exit, so its copy does not depend on where it was called, and the calls of one thread may jump to the same copy.
// Without this, error paths multiply: exit calls a destructor, which has error paths that call exit.
//
// The first separateCopies calls keep separate copies, whose stacks of calls say where they were called from; the stack
// of the shared copy begins with the function itself.

// separateCopies is the number of calls of a function that ends the program which have separate copies.
const separateCopies = 2

// endings knows which functions never return and can be shared.
type endings struct {
	ends   []bool   // by function: it never returns, and no thread ends in it
	inside [][]bool // by function and location: inside an atomic section
}

func newEndings(g *callGraph) *endings {
	p := g.p
	s := &endings{ends: make([]bool, len(p.Funcs)), inside: make([][]bool, len(p.Funcs))}
	targets := map[*ir.Edge][]ir.FuncID{}
	for _, calls := range g.calls {
		for _, c := range calls {
			targets[c.edge] = c.targets
		}
	}
	returns := make([]bool, len(p.Funcs))
	for _, fs := range g.calleesFirst() {
		for changed := true; changed; {
			changed = false
			for _, id := range fs {
				if !returns[id] && mayReturn(p.Funcs[id], targets, returns) {
					returns[id], changed = true, true
				}
			}
		}
	}
	exits := threadExits(g)
	for id, f := range p.Funcs {
		s.ends[id] = !returns[id] && !exits[id]
		if inside, err := ir.SectionLocs(f); err == nil {
			s.inside[id] = inside
		}
	}
	return s
}

// mayReturn reports whether a path leads from the entry of a function to its end, given the functions
// that are known to return.
func mayReturn(f *ir.Func, targets map[*ir.Edge][]ir.FuncID, returns []bool) bool {
	return reachesEnd(f, func(e *ir.Edge) bool { return e.Op.Kind == ir.Call && !anyReturns(targets[e], returns) })
}

// reachesEnd reports whether a path leads from the entry of a function to its end, without the edges that are left out.
func reachesEnd(f *ir.Func, without func(*ir.Edge) bool) bool {
	out := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		out[f.Edges[i].From] = append(out[f.Edges[i].From], int32(i))
	}
	seen := make([]bool, len(f.Locs))
	seen[f.Entry] = true
	for work := []ir.Loc{f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if len(out[l]) == 0 {
			return true
		}
		for _, i := range out[l] {
			e := &f.Edges[i]
			switch {
			case e.Op.Kind == ir.Return:
				return true
			case e.Op.Terminal(), without(e), seen[e.To]:
			default:
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return false
}

func anyReturns(callees []ir.FuncID, returns []bool) bool {
	for _, c := range callees {
		if returns[c] {
			return true
		}
	}
	return false
}

// threadExits returns the functions in which a thread can end, directly or in what they call: a thread that ends
// frees the automatic variables of its callers.
func threadExits(g *callGraph) []bool {
	exits := make([]bool, len(g.p.Funcs))
	for id, f := range g.p.Funcs {
		for i := range f.Edges {
			exits[id] = exits[id] || f.Edges[i].Op.Kind == ir.ThreadExit
		}
	}
	for changed := true; changed; {
		changed = false
		for id := range g.p.Funcs {
			for _, c := range g.calls[id] {
				if !exits[id] && anyReturns(c.targets, exits) {
					exits[id], changed = true, true
				}
			}
		}
	}
	return exits
}

// section reports whether a call lies inside an atomic section, where copies are not shared: a location is
// inside a section on all ways to it, or on none.
func (s *endings) section(in ir.FuncID, at ir.Loc) bool {
	return s.inside[in] == nil || s.inside[in][at]
}

// shared returns the key of a function in a state of recursion.
func shared(f ir.FuncID, r recursion) string { return fmt.Sprint(f, r.chain, r.repeated) }

// endingCopies is how many copies of a function there are, and the one that all further calls share.
type endingCopies struct {
	separate int
	shared   *activation
}

// copyFor returns the copy of a function for a call, which is known if another call has it already.
func (b *body) copyFor(a *activation, e *ir.Edge, callee ir.FuncID, depth recursion) (in *activation, known bool) {
	fn := b.src.Funcs[callee]
	in = &activation{fn: fn, body: b, id: callee, depth: depth, up: a, self: a.self}
	in.section = a.section || b.graph.ends.section(a.id, e.From)
	in.stack = append(append([]ir.Frame(nil), a.stack...), ir.Frame{Func: fn.Name, Call: e.Pos.Pos})
	if !b.graph.ends.ends[callee] || in.section {
		return in, false
	}
	key := shared(callee, depth)
	c := b.ending[key]
	switch {
	case c == nil:
		b.ending[key] = &endingCopies{separate: 1}
	case c.separate < separateCopies:
		c.separate++
	case c.shared != nil:
		return c.shared, true
	default:
		c.shared = in
		in.stack = []ir.Frame{{Func: fn.Name, Call: e.Pos.Pos}}
	}
	return in, false
}

// onlyAfterReturn reports whether only edges that leave the function lead to location l.
func onlyAfterReturn(f *ir.Func, l ir.Loc) bool {
	if f.Entry == l {
		return false
	}
	for i := range f.Edges {
		if e := &f.Edges[i]; e.To == l {
			switch e.Op.Kind {
			case ir.Return, ir.ThreadExit, ir.Exit:
			default:
				return false
			}
		}
	}
	return true
}
