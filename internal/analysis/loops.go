package analysis

import "fencepost/internal/ir"

// Loops holds the loops of an automaton and how they are nested.
type Loops struct {
	Heads   []ir.Loc   // by loop: its head
	Members [][]ir.Loc // by loop: its locations, those of the loops inside it included, in order
	Around  [][]int32  // by location: the loops around it, outermost first
	Into    [][]int32  // by location: the edges that lead to it

	f      *ir.Func
	parts  *Parts
	group  []int32 // by location: the number of the component that it was last found in; 0: the entry does not reach it
	groups int32   // numbers given
}

// NewLoops returns the loops of a function.
func NewLoops(f *ir.Func) *Loops {
	n := &Loops{f: f, Around: make([][]int32, len(f.Locs)), Into: make([][]int32, len(f.Locs)), group: make([]int32, len(f.Locs)), parts: NewParts(f)}
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			n.Into[e.To] = append(n.Into[e.To], int32(i))
		}
	}
	var reached []ir.Loc // locations that the entry does not reach need no unrolling
	for l, c := range Components(f, nil) {
		if c >= 0 {
			reached = append(reached, ir.Loc(l))
		}
	}
	n.find(reached, func(l ir.Loc) bool { return l == f.Entry })
	return n
}

// Reached reports whether the entry reaches a location.
func (n *Loops) Reached(l ir.Loc) bool { return n.group[l] != 0 }

// find adds the components of some locations that are loops, and the loops inside them. The locations are in
// order; first reports whether control begins at a location. The time is that of visiting the locations, once for each
// loop around them.
func (n *Loops) find(locs []ir.Loc, first func(ir.Loc) bool) {
	components := n.parts.Components(locs)
	for _, members := range components {
		n.groups++
		for _, l := range members {
			n.group[l] = n.groups
		}
	}
	heads := make([]ir.Loc, len(components))
	for i, members := range components {
		heads[i] = n.head(members, first)
	}
	for i, members := range components {
		head := heads[i]
		if head < 0 {
			continue
		}
		loop := int32(len(n.Heads))
		n.Heads, n.Members = append(n.Heads, head), append(n.Members, members)
		rest := make([]ir.Loc, 0, len(members)-1)
		for _, l := range members {
			n.Around[l] = append(n.Around[l], loop)
			if l != head {
				rest = append(rest, l)
			}
		}
		n.groups++
		n.group[head] = n.groups
		n.find(rest, func(ir.Loc) bool { return false })
	}
}

// head returns the first location at which control enters a component, the first of all if it enters nowhere, and -1
// if the component has no cycle.
func (n *Loops) head(members []ir.Loc, first func(ir.Loc) bool) ir.Loc {
	head, cyclic := ir.Loc(-1), false
	for _, l := range members {
		entered := first(l)
		for _, i := range n.Into[l] {
			inside := n.group[n.f.Edges[i].From] == n.group[l]
			cyclic, entered = cyclic || inside, entered || !inside
		}
		if entered && head < 0 {
			head = l
		}
	}
	switch {
	case !cyclic:
		return -1
	case head < 0:
		return members[0]
	}
	return head
}
