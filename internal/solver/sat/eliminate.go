package sat

import (
	"cmp"
	"context"
	"slices"

	"fencepost/internal/budget"
)

// Simplification before the first search: subsumed clauses are dropped, clauses are strengthened by
// self-subsuming resolution, and variables are eliminated if the number of clauses does not grow.
// Formulas of circuits have many such variables.
//
// An eliminated variable that the caller mentions later is restored: its clauses are kept and added
// again. In a model it gets the value that its clauses require.

// Limits of simplification.
const (
	maxSteps      = 60_000_000 // visited literals, about
	maxResolvent  = 40         // literals
	maxOccurrence = 24         // clauses of a variable in each phase, if both have more it stays
	maxPasses     = 6
)

// growth is how many clauses an elimination may add, by pass.
var growth = [maxPasses]int{0, 0, 8, 8, 16, 16}

// eliminated is a variable that was resolved away.
type eliminated struct {
	v       uint32
	clauses [][]lit // nil after it was restored
}

// restore adds the clauses of an eliminated variable again.
func (s *Embedded) restore(v uint32) {
	e := &s.elims[s.elimAt[v]]
	clauses := e.clauses
	e.clauses, s.gone[v] = nil, false
	s.heap.insert(v, s.act)
	for _, c := range clauses {
		for _, l := range c {
			if s.gone[l.v()] {
				s.restore(l.v())
			}
		}
		s.add(slices.Clone(c))
	}
}

// extend gives eliminated variables their values in the model, in reverse order of elimination.
func (s *Embedded) extend() {
	isTrue := func(l lit) bool { return s.model[l.v()] == (l&1 == 0) }
	for i := len(s.elims) - 1; i >= 0; i-- {
		e := &s.elims[i]
		if e.clauses == nil {
			continue
		}
		s.model[e.v] = false
		for _, c := range e.clauses {
			if !slices.ContainsFunc(c, isTrue) { // not with v false: it contains v
				s.model[e.v] = true
				break
			}
		}
	}
}

type simplifier struct {
	s       *Embedded
	ctx     context.Context
	cls     [][]lit // nil: dropped
	sigs    []uint64
	occ     [][]int32 // by literal, with some that are dropped
	queued  []bool
	queue   []int32  // clauses that may subsume others
	marks   []uint64 // by literal
	mark    uint64
	frozen  []bool
	moved   []bool // by variable: a clause of it came or went, or lost it
	changed []bool // by variable: a clause of it came, went or lost a literal
	units   []lit
	steps   int
	counted int // steps that were counted as work
}

// simplify simplifies all clauses. It is called once, before the search.
func (s *Embedded) simplify(ctx context.Context, assume []lit) {
	s.simplified = true
	p := &simplifier{
		s: s, ctx: ctx, occ: make([][]int32, 2*len(s.level)), marks: make([]uint64, 2*len(s.level)),
		frozen: make([]bool, len(s.level)), moved: make([]bool, len(s.level)), changed: make([]bool, len(s.level)),
	}
	for _, l := range assume {
		p.frozen[l.v()] = true
	}
	p.collect()
	for pass := 0; pass < maxPasses && !p.over() && !s.refuted; pass++ {
		p.subsume()
		more := pass == 0 || growth[pass] > growth[pass-1]
		if p.eliminate(growth[pass], more) == 0 && pass > 0 && growth[pass] == growth[maxPasses-1] {
			break
		}
	}
	p.subsume()
	p.rebuild()
}

// over counts the steps since the last call as work, and reports whether a limit was reached.
func (p *simplifier) over() bool {
	units := p.steps - p.counted
	p.counted = p.steps
	return p.steps > maxSteps || budget.Spend(p.ctx, int64(units)*simplifyCost) != nil || p.s.full()
}

// collect moves the clauses from the solver to the simplifier, without satisfied clauses and false
// literals.
func (p *simplifier) collect() {
	s := p.s
	for _, c := range s.clauses {
		lits := s.lits(c)
		out := make([]lit, 0, len(lits))
		for _, l := range lits {
			out = append(out, lit(l))
		}
		p.add(out)
	}
	for l := range s.bins {
		for _, other := range s.bins[l] {
			if a := lit(l).not(); a < other {
				p.add([]lit{a, other})
			}
		}
	}
	for v := range p.moved {
		p.moved[v] = true
	}
	p.propagate()
}

// add adds a clause without its false literals.
func (p *simplifier) add(c []lit) {
	s := p.s
	out := c[:0]
	for _, l := range c {
		switch s.vals[l] {
		case yes:
			return
		case unknown:
			out = append(out, l)
		}
	}
	switch len(out) {
	case 0:
		s.refuted = true
		return
	case 1:
		p.units = append(p.units, out[0])
		return
	}
	at := int32(len(p.cls))
	p.cls, p.sigs = append(p.cls, out), append(p.sigs, signature(out))
	p.queued = append(p.queued, true)
	p.queue = append(p.queue, at)
	for _, l := range out {
		p.occ[l] = append(p.occ[l], at)
		p.moved[l.v()], p.changed[l.v()] = true, true
	}
}

// signature has a bit for every variable of a clause, several sharing one.
func signature(c []lit) uint64 {
	var out uint64
	for _, l := range c {
		out |= 1 << (l.v() * 0x9e3779b1 >> 26)
	}
	return out
}

func (p *simplifier) drop(at int32) {
	for _, l := range p.cls[at] {
		p.moved[l.v()], p.changed[l.v()] = true, true
	}
	p.cls[at] = nil
}

// strengthen removes a literal from a clause.
func (p *simplifier) strengthen(at int32, l lit) {
	c := slices.DeleteFunc(slices.Clone(p.cls[at]), func(x lit) bool { return x == l })
	p.s.proof.derive(c)
	p.occ[l] = slices.DeleteFunc(p.occ[l], func(i int32) bool { return i == at })
	p.moved[l.v()] = true
	for _, x := range p.cls[at] {
		p.changed[x.v()] = true
	}
	if len(c) == 1 {
		p.drop(at)
		p.units = append(p.units, c[0])
		return
	}
	p.cls[at], p.sigs[at] = c, signature(c)
	if !p.queued[at] {
		p.queued[at] = true
		p.queue = append(p.queue, at)
	}
}

// propagate assigns unit clauses.
func (p *simplifier) propagate() {
	s := p.s
	for len(p.units) > 0 && !s.refuted {
		l := p.units[len(p.units)-1]
		p.units = p.units[:len(p.units)-1]
		switch s.vals[l] {
		case yes:
			continue
		case no:
			s.refuted = true
			continue
		}
		s.assign(l, noClause, 0)
		for _, i := range p.alive(l) {
			p.drop(i)
		}
		for _, i := range slices.Clone(p.alive(l.not())) {
			if p.cls[i] != nil {
				p.strengthen(i, l.not())
			}
		}
	}
}

// alive returns the clauses of a literal that are not dropped.
func (p *simplifier) alive(l lit) []int32 {
	p.occ[l] = slices.DeleteFunc(p.occ[l], func(i int32) bool { return p.cls[i] == nil })
	return p.occ[l]
}

// subsume drops and strengthens clauses by the clauses in the queue.
func (p *simplifier) subsume() {
	for len(p.queue) > 0 && !p.over() && !p.s.refuted {
		at := p.queue[0]
		p.queue = p.queue[1:]
		p.queued[at] = false
		if p.cls[at] != nil {
			p.subsumeBy(at)
			p.propagate()
		}
	}
}

func (p *simplifier) subsumeBy(at int32) {
	c := p.cls[at]
	best := c[0]
	count := func(l lit) int { return len(p.occ[l]) + len(p.occ[l.not()]) }
	for _, l := range c[1:] {
		if count(l) < count(best) {
			best = l
		}
	}
	if count(best) > 1000 {
		return
	}
	p.mark++
	for _, l := range c {
		p.marks[l] = p.mark
	}
	var dropped, shorter []int32
	var without []lit
	for _, l := range [2]lit{best, best.not()} {
		for _, i := range p.occ[l] {
			d := p.cls[i]
			p.steps++
			if i == at || d == nil || len(d) < len(c) || p.sigs[at]&^p.sigs[i] != 0 {
				continue
			}
			same, flipped := 0, noLit
			flips := 0
			p.steps += len(d)
			for _, x := range d {
				if p.marks[x] == p.mark {
					same++
				} else if p.marks[x.not()] == p.mark {
					flips++
					flipped = x
				}
			}
			switch {
			case same == len(c):
				dropped = append(dropped, i)
			case flips == 1 && same == len(c)-1:
				shorter, without = append(shorter, i), append(without, flipped)
			}
		}
	}
	for _, i := range dropped {
		p.drop(i)
	}
	for k, i := range shorter {
		p.strengthen(i, without[k])
	}
}

// eliminate visits the variables whose clauses have changed, variables with few clauses first, and
// returns how many it eliminated. More says that the growth is larger than before, so that variables
// whose clauses are the same get another chance.
func (p *simplifier) eliminate(growth int, more bool) int {
	type candidate struct {
		v    uint32
		cost int
	}
	var list []candidate
	for v := range p.moved {
		if (p.moved[v] || growth > 0 && (more || p.changed[v])) && !p.frozen[v] && !p.s.gone[v] && p.s.vals[2*v] == unknown {
			list = append(list, candidate{uint32(v), len(p.alive(lit(2*v))) * len(p.alive(lit(2*v+1)))})
		}
		p.moved[v], p.changed[v] = false, false
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	n := 0
	for _, c := range list {
		if p.over() || p.s.refuted {
			break
		}
		if p.s.vals[2*c.v] == unknown && p.resolveAway(c.v, growth) {
			n++
			p.propagate()
		}
	}
	return n
}

// resolveAway eliminates a variable if that leaves few clauses.
func (p *simplifier) resolveAway(v uint32, growth int) bool {
	pos, neg := p.alive(lit(2*v)), p.alive(lit(2*v+1))
	if len(pos) > maxOccurrence && len(neg) > maxOccurrence || len(pos)*len(neg) > 2000 {
		return false
	}
	limit := len(pos) + len(neg) + growth
	n := 0
	for _, i := range pos {
		c := p.cls[i]
		p.markAll(c)
		for _, j := range neg {
			p.steps += len(c) + len(p.cls[j])
			extra, ok := p.extra(p.cls[j], v)
			if !ok {
				continue
			}
			if n++; n > limit || len(c)-1+extra > maxResolvent {
				return false
			}
		}
	}
	made := make([][]lit, 0, n)
	for _, i := range pos {
		p.markAll(p.cls[i])
		for _, j := range neg {
			if extra, ok := p.extra(p.cls[j], v); ok {
				made = append(made, p.resolvent(p.cls[i], p.cls[j], v, extra))
			}
		}
	}
	e := eliminated{v: v, clauses: [][]lit{}}
	for _, i := range slices.Concat(pos, neg) {
		e.clauses = append(e.clauses, p.cls[i])
		p.drop(i)
	}
	p.s.gone[v] = true
	p.s.elimAt[v] = int32(len(p.s.elims))
	p.s.elims = append(p.s.elims, e)
	for _, c := range made {
		p.s.proof.derive(c)
		p.add(c)
	}
	return true
}

// markAll marks the literals of a clause.
func (p *simplifier) markAll(c []lit) {
	p.mark++
	for _, l := range c {
		p.marks[l] = p.mark
	}
}

// extra returns how many literals a clause adds to a resolvent with the marked clause, or false if the
// resolvent is a tautology.
func (p *simplifier) extra(d []lit, v uint32) (n int, ok bool) {
	for _, l := range d {
		switch {
		case l.v() == v:
		case p.marks[l.not()] == p.mark:
			return 0, false
		case p.marks[l] != p.mark:
			n++
		}
	}
	return n, true
}

// resolvent returns the resolvent of the marked clause c and d, to which d adds some literals.
func (p *simplifier) resolvent(c, d []lit, v uint32, extra int) []lit {
	out := make([]lit, 0, len(c)-1+extra)
	for _, l := range c {
		if l.v() != v {
			out = append(out, l)
		}
	}
	for _, l := range d {
		if l.v() != v && p.marks[l] != p.mark {
			out = append(out, l)
		}
	}
	return out
}

// rebuild moves the clauses back to the solver.
func (p *simplifier) rebuild() {
	s := p.s
	s.arena, s.clauses, s.wasted, s.binary = s.arena[:0], s.clauses[:0], 0, 0
	for l := range s.watches {
		s.watches[l], s.bins[l] = s.watches[l][:0], s.bins[l][:0]
	}
	s.head = len(s.trail)
	if s.refuted {
		return
	}
	for _, c := range p.cls {
		switch {
		case c == nil:
		case len(c) == 2:
			s.addBinary(c[0], c[1])
		default:
			s.clauses = append(s.clauses, s.attach(c, false, 0))
		}
	}
}
