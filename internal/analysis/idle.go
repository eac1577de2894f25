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
	cyclic := cyclicWithout(f, comp, nestedCounts(f, comp))
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
	out := nestedCounts(f, comp)
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

// nestedCounts marks the edges that count, and the edges that count once these are taken away: a loop inside a loop that
// counts may begin its own count anew in each round of the outer one. A round that leaves the thread as it was takes no
// edge that counts, so it stays in a component without such edges, and the argument holds there again.
func nestedCounts(f *ir.Func, comp []int32) []bool {
	c := newCounting(f)
	all := c.edges(comp)
	for more := slices.Contains(all, true); more; {
		more = false
		for i, counts := range c.edges(componentsWithout(f, all)) {
			more = more || counts && !all[i]
			all[i] = all[i] || counts
		}
	}
	return all
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

// edges marks the edges that count, for the components of all locations.
func (c *counting) edges(comp []int32) []bool {
	all := make([]ir.Loc, len(c.f.Locs))
	for l := range all {
		all[l] = ir.Loc(l)
	}
	counts := c.counts(all, comp)
	out := make([]bool, len(c.f.Edges))
	for i := range c.f.Edges {
		out[i] = counts(int32(i))
	}
	return out
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

// maxCopies bounds the assignments between a register and its next value.
const maxCopies = 8

// sign returns the sign of what an edge adds to its register: at once, as in i = i + 1, or by copies right before it, as in
// t = i; u = t + 1; i = u.
func (c *counting) sign(e *ir.Edge) int {
	if e.Op.Kind != ir.Assign {
		return noCounter
	}
	reg, sum, ok := added(&e.Op)
	for at, n := e.From, 0; ok && reg != e.Op.Dst; n++ {
		before := &c.f.Edges[c.last[at]]
		if n == maxCopies || c.into[at] != 1 || at == c.f.Entry || defines(&before.Op, e.Op.Dst) {
			return noCounter
		}
		if defines(&before.Op, reg) {
			var k int64
			if reg, k, ok = added(&before.Op); ok {
				sum += k
			}
		}
		at = before.From
	}
	switch {
	case !ok || sum == 0 || sum < -1<<(31-minWrap) || sum > 1<<(31-minWrap):
		return noCounter
	case sum < 0:
		return -1
	default:
		return 1
	}
}

// defines reports whether an operation assigns a register.
func defines(op *ir.Op, reg ir.Reg) (yes bool) {
	op.Defs(func(r ir.Reg) { yes = yes || r == reg })
	return yes
}

// added returns the register that an assignment copies, and the small constant that it adds, false if it does something
// else.
func added(op *ir.Op) (ir.Reg, int64, bool) {
	if op.Kind != ir.Assign {
		return ir.NoReg, 0, false
	}
	if op.Val.Op == ir.RegRef {
		return op.Val.Reg, 0, true
	}
	if op.Val.Op != ir.Add && op.Val.Op != ir.Sub || op.Val.X.Op != ir.RegRef {
		return ir.NoReg, 0, false
	}
	if t := op.Val.Type; t.Float || t.Bits != 0 && t.Bits < 32 {
		return ir.NoReg, 0, false
	}
	k, ok := op.Val.Y.IsConst()
	if op.Val.Op == ir.Sub {
		k = -k
	}
	return op.Val.X.Reg, k, ok && k >= -1<<(31-minWrap) && k <= 1<<(31-minWrap)
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
