package invariant

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Facts about two threads. Location invariants relate one thread to memory. That two threads are
// never in the critical section together, or never hold the same ticket, is a condition on two
// threads: on where they are and on their registers, not on memory. A step of a third thread changes
// neither, so such a condition is inductive if it holds initially and if every step of one of the
// two, with the other one anywhere, establishes it.
//
// Candidates come from instances: pairs of locations at which no two threads ever were together, and
// registers of two threads that never had the same value. They are dropped, together with all other
// candidates, until the rest is inductive.

// pairFact is a condition on two different threads, one of class c and one of class d, stated for
// some pairs of their locations.
type pairFact struct {
	c, d *program.Class
	// r and s are registers of the two that differ; NoReg: the threads are never at these
	// locations together.
	r, s        ir.Reg
	separations [][]bool // by the location of the first and of the second
	proved      bool
	unseen      bool // stated also where no two threads were seen together
}

// excludes reports whether the fact says that two threads are never somewhere together.
func (f *pairFact) excludes() bool { return f.r == ir.NoReg }

// term returns the condition.
func (f *pairFact) term(regs, others []smt.Term) smt.Term {
	if f.excludes() {
		return smt.False
	}
	return smt.Not(encode.Equal(regs[f.r], others[f.s]))
}

func (f *pairFact) text() string {
	if f.excludes() {
		return fmt.Sprintf("%s and %s are never there together", f.c.Name, f.d.Name)
	}
	return fmt.Sprintf("%s of %s is not %s of another %s", f.c.Code.Regs[f.r].Name, f.c.Name, f.d.Code.Regs[f.s].Name, f.d.Name)
}

// separation is a fact for one pair of locations.
type separation struct {
	f    *pairFact
	l, n ir.Loc
	swap bool // the first thread of the fact is the second one of the question
}

func (x separation) term(regs, others []smt.Term) smt.Term {
	if x.swap {
		return x.f.term(others, regs)
	}
	return x.f.term(regs, others)
}

func (x separation) drop() { x.f.separations[x.l][x.n] = false }

// separations returns the separations about a thread of class c at l and another one of class d at n.
func (k *Knowledge) separations(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc) []separation {
	var out []separation
	for _, f := range k.pairs {
		if f.c == c && f.d == d && f.separations[l][n] {
			out = append(out, separation{f, l, n, false})
		}
		if f.c == d && f.d == c && f.separations[n][l] {
			out = append(out, separation{f, n, l, true})
		}
	}
	return out
}

// excluded reports whether a thread of class c at l and another one of class d at n are stated never
// to be there together.
func (k *Knowledge) excluded(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc) bool {
	return slices.ContainsFunc(k.separations(c, l, d, n), func(x separation) bool { return x.f.excludes() })
}

// minePairs proposes the facts about two threads that hold in all states of small instances.
func (k *Knowledge) minePairs() {
	m := &pairMiner{k: k, facts: map[[2]*program.Class][]*pairFact{}, together: map[[2]*program.Class][][]bool{}}
	for i, c := range k.pr.Classes {
		for _, d := range k.pr.Classes[i:] {
			if c != d || c.Many {
				m.propose(c, d)
			}
		}
	}
	for _, in := range k.instances() {
		in.each(k.pr.Ctx, k.Reach, func(s program.State, threads []ir.ThreadID) {
			for _, t := range threads {
				for _, u := range threads {
					if t != u {
						m.observe(in, s, t, u)
					}
				}
			}
		})
		k.pr.Poll()
	}
	m.finish()
}

// pairMiner collects facts about two threads.
type pairMiner struct {
	k        *Knowledge
	facts    map[[2]*program.Class][]*pairFact
	together map[[2]*program.Class][][]bool // whether two threads were at two locations
}

func matrix(c, d *program.Class, value bool) [][]bool {
	out := make([][]bool, len(c.Code.Locs))
	for l := range out {
		out[l] = make([]bool, len(d.Code.Locs))
		for n := range out[l] {
			out[l][n] = value
		}
	}
	return out
}

func (m *pairMiner) propose(c, d *program.Class) {
	id := [2]*program.Class{c, d}
	m.together[id] = matrix(c, d, false)
	for _, r := range m.k.tickets(c) {
		for _, s := range m.k.tickets(d) {
			m.facts[id] = append(m.facts[id], &pairFact{c: c, d: d, r: r, s: s, separations: matrix(c, d, true)})
		}
	}
	apart := func(r, s ir.Reg) {
		if !slices.ContainsFunc(m.facts[id], func(f *pairFact) bool { return f.r == r && f.s == s }) {
			m.facts[id] = append(m.facts[id], &pairFact{c: c, d: d, r: r, s: s, unseen: true, separations: matrix(c, d, true)})
		}
	}
	for _, r := range m.k.allocated(c) {
		for _, s := range m.k.pointerRegisters(d) {
			apart(r, s)
		}
	}
	for _, s := range m.k.allocated(d) {
		for _, r := range m.k.pointerRegisters(c) {
			apart(r, s)
		}
	}
	for _, r := range taken(c) {
		for _, s := range taken(d) {
			apart(r, s)
		}
	}
}

// observe notes two threads in a state.
func (m *pairMiner) observe(in *instance, s program.State, t, u ir.ThreadID) {
	id := [2]*program.Class{in.of[t], in.of[u]}
	at := m.together[id]
	if at == nil {
		return
	}
	l, _ := s.At(t)
	n, _ := s.At(u)
	at[l][n] = true
	for _, f := range m.facts[id] {
		if f.separations[l][n] && s.Reg(t, f.r) == s.Reg(u, f.s) {
			f.separations[l][n] = false
		}
	}
}

// finish keeps the facts that may be true and say something: that registers differ where threads
// were seen together, and that threads are not together where both can come. No separation is made
// about a thread that was just started by another one.
func (m *pairMiner) finish() {
	for id, at := range m.together {
		c, d := id[0], id[1]
		apart := &pairFact{c: c, d: d, r: ir.NoReg, s: ir.NoReg, separations: matrix(c, d, false)}
		here, there := program.Reachable(c.Code, c.Code.Entry), program.Reachable(d.Code, d.Code.Entry)
		for l := range at {
			for n := range at[l] {
				possible := here[l] && there[n] && m.k.separable(c, ir.Loc(l), d, ir.Loc(n))
				apart.separations[l][n] = possible && !at[l][n]
				for _, f := range m.facts[id] {
					seen := at[l][n]
					if f.unseen { // instances are too small to show all threads that have blocks or elements
						seen = slices.Contains(m.k.watched(c, ir.Loc(l)), f.r) && slices.Contains(m.k.watched(d, ir.Loc(n)), f.s)
					}
					f.separations[l][n] = f.separations[l][n] && possible && seen
				}
			}
		}
		for _, f := range append([]*pairFact{apart}, m.facts[id]...) {
			if f.without(m.k.pairs) {
				m.k.pairs = append(m.k.pairs, f)
			}
		}
	}
	// The order of a map must not show in questions to the solver.
	order := func(c *program.Class) int { return slices.Index(m.k.pr.Classes, c) }
	slices.SortStableFunc(m.k.pairs, func(f, g *pairFact) int {
		return (order(f.c)-order(g.c))*len(m.k.pr.Classes) + order(f.d) - order(g.d)
	})
}

// without removes the separations that facts of a list have, and reports whether one is left.
func (f *pairFact) without(list []*pairFact) bool {
	left := false
	for l := range f.separations {
		for n := range f.separations[l] {
			known := slices.ContainsFunc(list, func(g *pairFact) bool {
				return g.c == f.c && g.d == f.d && g.r == f.r && g.s == f.s && g.separations[l][n]
			})
			f.separations[l][n] = f.separations[l][n] && !known
			left = left || f.separations[l][n]
		}
	}
	return left
}

// separable reports whether something may be stated about two threads at two locations: not about one that
// was just started by another one, and not inside sections.
func (k *Knowledge) separable(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc) bool {
	return !c.Skips(l) && !d.Skips(n) && (c.Start || l != c.Code.Entry) && (d.Start || n != d.Code.Entry) && k.pr.Lifetimes.Beside(c, l, d, n)
}

// tickets returns the registers of a thread that may hold something no other thread has: results of
// read-modify-writes, and their copies.
func (k *Knowledge) tickets(c *program.Class) []ir.Reg {
	return copiesOf(c, func(op *ir.Op) bool { return op.Kind == ir.RMW && op.RMW != ir.Cas })
}

// taken returns the registers of a thread that are part of an address and are computed from what a compare-exchange
// compares: if it succeeds, the thread may have taken what is there, as a node is taken from a stack.
func taken(c *program.Class) []ir.Reg {
	from, addresses := map[ir.Reg]bool{}, map[ir.Reg]bool{}
	note := func(e *ir.Expr, in map[ir.Reg]bool) {
		e.Walk(func(x *ir.Expr) {
			if x.Op == ir.RegRef {
				in[x.Reg] = true
			}
		})
	}
	for i := range c.Code.Edges {
		op := &c.Code.Edges[i].Op
		if op.Kind == ir.RMW && op.RMW == ir.Cas {
			note(op.Val, from)
		}
		note(op.Addr, addresses)
	}
	for changed := true; changed; {
		changed = false
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			if op.Kind == ir.Assign && !from[op.Dst] && slices.ContainsFunc(program.UsesOf(op), func(r ir.Reg) bool { return from[r] }) {
				from[op.Dst], changed = true, true
			}
		}
	}
	var out []ir.Reg
	for r := range c.Code.Regs {
		if from[ir.Reg(r)] && addresses[ir.Reg(r)] {
			out = append(out, ir.Reg(r))
		}
	}
	return out
}

// copiesOf returns the registers that get the result of some operations, and their copies.
func copiesOf(c *program.Class, from func(*ir.Op) bool) []ir.Reg {
	var list []ir.Reg
	add := func(r ir.Reg) bool {
		if r == ir.NoReg || slices.Contains(list, r) {
			return false
		}
		list = append(list, r)
		return true
	}
	for changed := true; changed; {
		changed = false
		for i := range c.Code.Edges {
			op := &c.Code.Edges[i].Op
			switch {
			case from(op):
				changed = add(op.Dst) || changed
			case op.Kind == ir.Assign && op.Val.Op == ir.RegRef && slices.Contains(list, op.Val.Reg):
				changed = add(op.Dst) || changed
			}
		}
	}
	slices.Sort(list)
	return list
}

// pairsAtStart drops the separations that do not hold initially.
func (k *Knowledge) pairsAtStart() {
	for _, f := range k.pairs {
		c, d := f.c, f.d
		if f.proved || !c.Start || !d.Start || !f.separations[c.Code.Entry][d.Code.Entry] {
			continue
		}
		x := separation{f, c.Code.Entry, d.Code.Entry, false}
		if f.excludes() {
			x.drop()
			continue
		}
		regs, others := k.pr.FirstRegisters(c, "a"), k.pr.FirstRegisters(d, "b")
		k.dropSeparations([]separation{x}, append(k.pr.Numbered(c, regs), k.differ(c, regs, d, others)...), regs, others)
	}
}

// pairStep drops the separations about two threads that a step of one of them does not establish.
func (k *Knowledge) pairStep(c *program.Class, a *program.Action) (changed bool) {
	if len(k.pairs) == 0 {
		return false
	}
	pr := k.pr
	for _, d := range pr.Against(c) {
		for l := range d.Code.Locs {
			n := ir.Loc(l)
			if d.Skips(n) || !pr.Lifetimes.Beside(c, a.From(), d, n) {
				continue
			}
			open := k.openSeparations(c, a, d, n)
			if len(open) == 0 {
				continue
			}
			id := obligation{c, n, a, d}
			assumed := k.stampPair(c, a.From(), d, n)
			if last, ok := k.passed[id]; ok && last == assumed {
				continue
			}
			k.passed[id] = assumed
			m, regs, others := pr.Memory("m"), pr.Registers(c, "a"), pr.Registers(d, "b")
			after := pr.Run(a, "a", encode.Run{Regs: regs, Mem: m})
			numbers := k.Numbers(after)
			given := append(k.At(c, a.From(), regs, m, numbers...), k.At(d, n, others, m, numbers...)...)
			given = append(given, k.Apart(c, a.From(), regs, d, n, others, m)...)
			given = append(given, after.Guard...)
			changed = k.dropSeparations(open, given, after.Regs, others) || changed
		}
	}
	return changed
}

// openSeparations returns the separations that have to be proved after step a with another thread of class d at
// n. Separations that hold before the step and that the step does not change are not among them.
func (k *Knowledge) openSeparations(c *program.Class, a *program.Action, d *program.Class, n ir.Loc) []separation {
	if k.excluded(c, a.From(), d, n) {
		return nil // the step is not possible
	}
	before := k.separations(c, a.From(), d, n)
	var open []separation
	for _, x := range k.separations(c, a.To(), d, n) {
		kept := slices.ContainsFunc(before, func(y separation) bool { return y.f == x.f && y.swap == x.swap })
		mine := x.f.r
		if x.swap {
			mine = x.f.s
		}
		if !x.f.proved && !(kept && !a.Defines(mine)) {
			open = append(open, x)
		}
	}
	return open
}

// dropSeparations drops the separations that do not follow.
func (k *Knowledge) dropSeparations(open []separation, given, regs, others []smt.Term) (changed bool) {
	for len(open) > 0 && k.pr.Err == nil {
		terms := make([]smt.Term, len(open))
		for i, x := range open {
			terms[i] = x.term(regs, others)
		}
		k.pr.Obligations++
		bad, _ := k.refute(given, terms, nil)
		if bad == nil {
			return changed
		}
		var rest []separation
		for i, x := range open {
			if !bad[i] {
				rest = append(rest, x)
				continue
			}
			x.drop()
			k.changed()
			changed = true
		}
		open = rest
	}
	return changed
}
