package analysis

import (
	"slices"

	"fencepost/internal/ir"
)

// Loops in which a thread can go round without getting anywhere. A loop that counts, as for (i = 0; i < n;
// i++) does, is not one: every round of it adds to a register that is read later, and never takes away, so
// no round leaves the thread as it was.
//
// The register wraps around in the end. Only registers of 32 bits and more, and small steps, count: it takes
// at least 1<<minWrap rounds then, more than anyone runs to see whether a thread comes back.

const minWrap = 15

// IdleLoops returns, by location, the strongly connected component of the location, and -1 if no round of it
// can leave the live registers as they were. A location on no cycle has -1.
func IdleLoops(f *ir.Func) []int32 {
	comp := Components(f, nil)
	on := make([]bool, len(f.Locs)) // by component: it has a cycle
	for i := range f.Edges {
		if e := &f.Edges[i]; OnCycle(e, comp) {
			on[comp[e.From]] = true
		}
	}
	counts := countingEdges(f, comp)
	cyclic := cyclicWithout(f, comp, counts)
	for l, c := range comp {
		if c >= 0 && (!on[c] || !cyclic[c]) {
			comp[l] = -1
		}
	}
	return comp
}

// MayIdle reports whether some thread of a flat program can go round a loop without getting anywhere.
func MayIdle(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for _, c := range IdleLoops(f) {
			if c >= 0 {
				return true
			}
		}
	}
	return false
}

// ReadlessLoop reports whether f has a cycle that does not count and does not read memory. A thread can go round it
// whatever memory holds, and what it read before says nothing about memory then.
func ReadlessLoop(f *ir.Func) bool {
	comp := Components(f, nil)
	out := countingEdges(f, comp)
	for i := range f.Edges {
		out[i] = out[i] || f.Edges[i].Op.Reads()
	}
	return slices.Contains(cyclicWithout(f, comp, out), true)
}

// LoopCounts returns a function that reports whether every round of a loop, from its head back to it, counts: no round
// leaves the thread as it was. A question takes as long as the loop is large.
func LoopCounts(f *ir.Func) func(head ir.Loc, members []ir.Loc) bool {
	c := newCounting(f)
	comp := make([]int32, len(f.Locs)) // 0 inside the loop that is asked about, -1 elsewhere
	for l := range comp {
		comp[l] = -1
	}
	seen := make([]bool, len(f.Locs))
	return func(head ir.Loc, members []ir.Loc) bool {
		for _, l := range members {
			comp[l], seen[l] = 0, false
		}
		defer func() {
			for _, l := range members {
				comp[l] = -1
			}
		}()
		counts := c.counts(members, comp)
		for work := []ir.Loc{head}; len(work) > 0; {
			l := work[len(work)-1]
			work = work[:len(work)-1]
			for _, i := range f.Out(l) {
				e := &f.Edges[i]
				if !OnCycle(e, comp) || counts(i) || seen[e.To] {
					continue
				}
				if e.To == head {
					return false
				}
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
		return true
	}
}

// countingEdges marks the edges that count, for the components of f.
func countingEdges(f *ir.Func, comp []int32) []bool {
	all := make([]ir.Loc, len(f.Locs))
	for l := range all {
		all[l] = ir.Loc(l)
	}
	counts := newCounting(f).counts(all, comp)
	out := make([]bool, len(f.Edges))
	for i := range f.Edges {
		out[i] = counts(int32(i))
	}
	return out
}

// counting finds the edges that make a register of a loop grow, or all of them shrink, if nothing else
// in the loop assigns the register, and it is read later.
type counting struct {
	f    *ir.Func
	live func(ir.Loc, ir.Reg) bool
	into []int // by location: how many edges lead to it
	last []int // by location: one of them
}

func newCounting(f *ir.Func) *counting {
	c := &counting{f: f, live: Liveness(f), into: make([]int, len(f.Locs)), last: make([]int, len(f.Locs))}
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			c.into[e.To]++
			c.last[e.To] = i
		}
	}
	return c
}

// counter is a register of a component.
type counter struct {
	comp int32
	reg  ir.Reg
}

// noCounter is the sign of a register that grows and shrinks, or is assigned something else.
const noCounter = 0

// counts returns which edges count that leave the given locations; comp has the components of all locations.
func (c *counting) counts(locs []ir.Loc, comp []int32) func(edge int32) bool {
	signs := map[counter]int{}
	for _, l := range locs {
		for _, i := range c.f.Out(l) {
			e := &c.f.Edges[i]
			if !OnCycle(e, comp) {
				continue
			}
			e.Op.Defs(func(r ir.Reg) {
				at, sign := counter{comp[e.From], r}, c.sign(e)
				if known, ok := signs[at]; ok && known != sign {
					sign = noCounter
				}
				signs[at] = sign
			})
		}
	}
	return func(edge int32) bool {
		e := &c.f.Edges[edge]
		return OnCycle(e, comp) && e.Op.Kind == ir.Assign && signs[counter{comp[e.From], e.Op.Dst}] != noCounter && c.live(e.To, e.Op.Dst)
	}
}

// sign returns the sign of what an edge adds to its register.
func (c *counting) sign(e *ir.Edge) int {
	reg, sign := added(&e.Op)
	if before := &c.f.Edges[c.last[e.From]]; sign != 0 && reg != e.Op.Dst && c.into[e.From] == 1 && e.From != c.f.Entry {
		// t = i; i = t + 1
		if op := &before.Op; op.Kind == ir.Assign && op.Dst == reg && op.Val.Op == ir.RegRef {
			reg = op.Val.Reg
		}
	}
	if reg != e.Op.Dst {
		return noCounter
	}
	return sign
}

// added returns the register to which an assignment adds a small constant, and the sign of the constant, 0 if
// the operation does something else.
func added(op *ir.Op) (ir.Reg, int) {
	if op.Kind != ir.Assign || op.Val.Op != ir.Add && op.Val.Op != ir.Sub || op.Val.X.Op != ir.RegRef {
		return ir.NoReg, 0
	}
	if t := op.Val.Type; t.Float || t.Bits != 0 && t.Bits < 32 {
		return ir.NoReg, 0
	}
	k, ok := op.Val.Y.IsConst()
	if op.Val.Op == ir.Sub {
		k = -k
	}
	switch {
	case !ok || k == 0 || k < -1<<(31-minWrap) || k > 1<<(31-minWrap):
		return ir.NoReg, 0
	case k < 0:
		return op.Val.X.Reg, -1
	default:
		return op.Val.X.Reg, 1
	}
}

// cyclicWithout returns, by component, whether it has a cycle without the edges that are left out.
func cyclicWithout(f *ir.Func, comp []int32, out []bool) []bool {
	into := make([]int, len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; OnCycle(e, comp) && !out[i] {
			into[e.To]++
		}
	}
	var free []ir.Loc
	for l := range f.Locs {
		if into[l] == 0 {
			free = append(free, ir.Loc(l))
		}
	}
	gone := make([]bool, len(f.Locs))
	for len(free) > 0 {
		l := free[len(free)-1]
		free = free[:len(free)-1]
		gone[l] = true
		for _, i := range f.Out(l) {
			if e := &f.Edges[i]; OnCycle(e, comp) && !out[i] {
				if into[e.To]--; into[e.To] == 0 {
					free = append(free, e.To)
				}
			}
		}
	}
	cyclic := make([]bool, len(f.Locs))
	for l, c := range comp {
		if c >= 0 && !gone[l] {
			cyclic[c] = true
		}
	}
	return cyclic
}
