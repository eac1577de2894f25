package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
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
	c, d *class
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
func (f *pairFact) term(regs, others []string) string {
	if f.excludes() {
		return "false"
	}
	return not(equal(regs[f.r], others[f.s]))
}

func (f *pairFact) text() string {
	if f.excludes() {
		return fmt.Sprintf("%s and %s are never there together", f.c.name, f.d.name)
	}
	return fmt.Sprintf("%s of %s is not %s of another %s", f.c.f.Regs[f.r].Name, f.c.name, f.d.f.Regs[f.s].Name, f.d.name)
}

// copyPairs returns copies with separations of their own.
func copyPairs(list []*pairFact) []*pairFact {
	out := make([]*pairFact, len(list))
	for i, f := range list {
		g := *f
		g.separations = make([][]bool, len(f.separations))
		for l := range g.separations {
			g.separations[l] = slices.Clone(f.separations[l])
		}
		out[i] = &g
	}
	return out
}

// separation is a fact for one pair of locations.
type separation struct {
	f    *pairFact
	l, n ir.Loc
	swap bool // the first thread of the fact is the second one of the question
}

func (x separation) term(regs, others []string) string {
	if x.swap {
		return x.f.term(others, regs)
	}
	return x.f.term(regs, others)
}

func (x separation) drop() { x.f.separations[x.l][x.n] = false }

// separations returns the separations about a thread of class c at l and another one of class d at n.
func (k *knowledge) separations(c *class, l ir.Loc, d *class, n ir.Loc) []separation {
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
func (k *knowledge) excluded(c *class, l ir.Loc, d *class, n ir.Loc) bool {
	return slices.ContainsFunc(k.separations(c, l, d, n), func(x separation) bool { return x.f.excludes() })
}

// minePairs proposes the facts about two threads that hold in all states of small instances.
func (k *knowledge) minePairs() {
	m := &pairMiner{k: k, facts: map[[2]*class][]*pairFact{}, together: map[[2]*class][][]bool{}}
	for i, c := range k.pr.classes {
		for _, d := range k.pr.classes[i:] {
			if c != d || c.many {
				m.propose(c, d)
			}
		}
	}
	for _, in := range k.instances() {
		in.each(k.pr.ctx, k.reach, func(s State, threads []ir.ThreadID) {
			for _, t := range threads {
				for _, u := range threads {
					if t != u {
						m.observe(in, s, t, u)
					}
				}
			}
		})
		k.pr.poll()
	}
	m.finish()
}

// pairMiner collects facts about two threads.
type pairMiner struct {
	k        *knowledge
	facts    map[[2]*class][]*pairFact
	together map[[2]*class][][]bool // whether two threads were at two locations
}

func matrix(c, d *class, value bool) [][]bool {
	out := make([][]bool, len(c.f.Locs))
	for l := range out {
		out[l] = make([]bool, len(d.f.Locs))
		for n := range out[l] {
			out[l][n] = value
		}
	}
	return out
}

func (m *pairMiner) propose(c, d *class) {
	id := [2]*class{c, d}
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
	for _, r := range allocated(m.k, c) {
		for _, s := range pointerRegisters(m.k, d) {
			apart(r, s)
		}
	}
	for _, s := range allocated(m.k, d) {
		for _, r := range pointerRegisters(m.k, c) {
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
func (m *pairMiner) observe(in *instance, s State, t, u ir.ThreadID) {
	id := [2]*class{in.of[t], in.of[u]}
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
		here, there := reachable(c.f, c.f.Entry), reachable(d.f, d.f.Entry)
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
	order := func(c *class) int { return slices.Index(m.k.pr.classes, c) }
	slices.SortStableFunc(m.k.pairs, func(f, g *pairFact) int {
		return (order(f.c)-order(g.c))*len(m.k.pr.classes) + order(f.d) - order(g.d)
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
func (k *knowledge) separable(c *class, l ir.Loc, d *class, n ir.Loc) bool {
	return !c.skips(l) && !d.skips(n) && (c.start || l != c.f.Entry) && (d.start || n != d.f.Entry) && k.pr.family.beside(c, l, d, n)
}

// tickets returns the registers of a thread that may hold something no other thread has: results of
// read-modify-writes, and their copies.
func (k *knowledge) tickets(c *class) []ir.Reg {
	return copiesOf(c, func(op *ir.Op) bool { return op.Kind == ir.RMW && op.RMW != ir.Cas })
}

// taken returns the registers of a thread that are part of an address and are computed from what a compare-exchange
// compares: if it succeeds, the thread may have taken what is there, as a node is taken from a stack.
func taken(c *class) []ir.Reg {
	from, addresses := map[ir.Reg]bool{}, map[ir.Reg]bool{}
	note := func(e *ir.Expr, in map[ir.Reg]bool) {
		e.Walk(func(x *ir.Expr) {
			if x.Op == ir.RegRef {
				in[x.Reg] = true
			}
		})
	}
	for i := range c.f.Edges {
		op := &c.f.Edges[i].Op
		if op.Kind == ir.RMW && op.RMW == ir.Cas {
			note(op.Val, from)
		}
		note(op.Addr, addresses)
	}
	for changed := true; changed; {
		changed = false
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
			if op.Kind == ir.Assign && !from[op.Dst] && slices.ContainsFunc(usesOf(op), func(r ir.Reg) bool { return from[r] }) {
				from[op.Dst], changed = true, true
			}
		}
	}
	var out []ir.Reg
	for r := range c.f.Regs {
		if from[ir.Reg(r)] && addresses[ir.Reg(r)] {
			out = append(out, ir.Reg(r))
		}
	}
	return out
}

// copiesOf returns the registers that get the result of some operations, and their copies.
func copiesOf(c *class, from func(*ir.Op) bool) []ir.Reg {
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
		for i := range c.f.Edges {
			op := &c.f.Edges[i].Op
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
func (k *knowledge) pairsAtStart() {
	for _, f := range k.pairs {
		c, d := f.c, f.d
		if f.proved || !c.start || !d.start || !f.separations[c.f.Entry][d.f.Entry] {
			continue
		}
		x := separation{f, c.f.Entry, d.f.Entry, false}
		if f.excludes() {
			x.drop()
			continue
		}
		regs, others := k.pr.firstRegisters(c, "a"), k.pr.firstRegisters(d, "b")
		k.dropSeparations([]separation{x}, append(k.pr.numbered(c, regs), k.differ(c, regs, d, others)...), regs, others)
	}
}

// firstRegisters returns the registers of a thread that runs from the beginning, in a role.
func (pr *problem) firstRegisters(c *class, role string) []string {
	out := append([]string(nil), pr.entries[c]...)
	if c.self != ir.NoReg {
		out[c.self] = pr.registers(c, role)[c.self]
	}
	return out
}

// pairStep drops the separations about two threads that a step of one of them does not establish.
func (k *knowledge) pairStep(c *class, a *action) (changed bool) {
	if len(k.pairs) == 0 {
		return false
	}
	pr := k.pr
	for _, d := range pr.against(c) {
		for l := range d.f.Locs {
			n := ir.Loc(l)
			if d.skips(n) || !pr.family.beside(c, a.from(), d, n) {
				continue
			}
			open := k.openSeparations(c, a, d, n)
			if len(open) == 0 {
				continue
			}
			id := obligation{c, n, a, d}
			assumed := k.stampPair(c, a.from(), d, n)
			if last, ok := k.passed[id]; ok && last == assumed {
				continue
			}
			k.passed[id] = assumed
			m, regs, others := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
			after := pr.run(a, "a", run{regs: regs, mem: m})
			numbers := k.numbers(after)
			given := append(k.at(c, a.from(), regs, m, numbers...), k.at(d, n, others, m, numbers...)...)
			given = append(given, k.apart(c, a.from(), regs, d, n, others, m)...)
			given = append(given, after.guard...)
			changed = k.dropSeparations(open, given, after.regs, others) || changed
		}
	}
	return changed
}

// openSeparations returns the separations that have to be proved after step a with another thread of class d at
// n. Separations that hold before the step and that the step does not change are not among them.
func (k *knowledge) openSeparations(c *class, a *action, d *class, n ir.Loc) []separation {
	if k.excluded(c, a.from(), d, n) {
		return nil // the step is not possible
	}
	before := k.separations(c, a.from(), d, n)
	var open []separation
	for _, x := range k.separations(c, a.to(), d, n) {
		kept := slices.ContainsFunc(before, func(y separation) bool { return y.f == x.f && y.swap == x.swap })
		mine := x.f.r
		if x.swap {
			mine = x.f.s
		}
		if !x.f.proved && !(kept && !a.defines(mine)) {
			open = append(open, x)
		}
	}
	return open
}

// defines reports whether an action sets a register.
func (a *action) defines(r ir.Reg) bool {
	found := false
	for _, e := range a.edges {
		e.Op.Defs(func(x ir.Reg) { found = found || x == r })
	}
	return found
}

// dropSeparations drops the separations that do not follow.
func (k *knowledge) dropSeparations(open []separation, given, regs, others []string) (changed bool) {
	for len(open) > 0 && k.pr.err == nil {
		terms := make([]string, len(open))
		for i, x := range open {
			terms[i] = x.term(regs, others)
		}
		k.pr.obligations++
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
