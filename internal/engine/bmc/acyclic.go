package bmc

import "math/bits"

// A relation between events that can be completed to a total order. Only some pairs have a gate: the
// pairs that the formula asks for, and the pairs that are needed to exclude cycles. To find the latter, the
// events are eliminated one by one: when an event goes, the pairs of its neighbours get a
// gate, and a clause excludes a cycle of the three. A cycle of any length then breaks a clause: of
// its events take the one that was eliminated first; its two neighbours in the cycle have a gate,
// which the clause sets so that they are a shorter cycle without it. The same is done for equality by
// Bryant and Velev [BV02] and for difference constraints by chordal graphs [SSB02].
//
// Differs from these: most of the order is known, as the events of a thread have an order. A pair
// whose order is known needs no gate and no edge in the graph, if a path of other events says the same.
// And of the neighbours of an event whose order is known only two without another between them are in
// a clause: it implies the clauses of others.
//
// Events that have few neighbours are eliminated first, so a formula in which each event meets
// few others is linear in their number.

// maxEvents is the largest number of events whose order is encoded, and maxClauses the largest
// number of clauses about it, and of those about what loads read.
const (
	maxEvents  = 4000
	maxClauses = 1_000_000
)

// relation is the order of groups of events.
type relation struct {
	c      *circuit
	n      int
	arcs   [][]int       // by group: some groups that are known to come later
	later  []bitset      // by group: all of them
	sooner []bitset      // by group: the groups that are known to come before
	gates  map[pair]gate // a comes before b
	pairs  []pair        // the keys of gates in the order of their creation
	closed int           // how many pairs there were when cycles were excluded
}

type pair struct{ a, b int } // a < b

// bitset is a set of groups.
type bitset []uint64

func (s bitset) has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }
func (s bitset) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int)   { s[i>>6] &^= 1 << (i & 63) }

// list returns the elements in ascending order.
func (s bitset) list(out []int) []int {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, i<<6+bits.TrailingZeros64(w))
		}
	}
	return out
}

func newBitsets(n int) []bitset {
	words := (n + 63) / 64
	all := make(bitset, n*words)
	out := make([]bitset, n)
	for i := range out {
		out[i] = all[i*words : (i+1)*words : (i+1)*words]
	}
	return out
}

func newRelation(c *circuit, n int) relation {
	return relation{c: c, n: n, arcs: make([][]int, n), gates: map[pair]gate{}}
}

// precede says that one group always comes before another.
func (r *relation) precede(a, b int) { r.arcs[a] = append(r.arcs[a], b) }

// complete computes what follows from the known order.
func (r *relation) complete() {
	r.later, r.sooner = newBitsets(r.n), newBitsets(r.n)
	waits := make([]int, r.n) // arcs to each group
	for _, out := range r.arcs {
		for _, b := range out {
			waits[b]++
		}
	}
	for _, a := range sorted(r.arcs, waits) {
		for _, b := range r.arcs[a] {
			r.sooner[b].add(a)
			for w, more := range r.sooner[a] {
				r.sooner[b][w] |= more
			}
		}
	}
	var list []int
	for b, before := range r.sooner {
		list = before.list(list[:0])
		for _, a := range list {
			r.later[a].add(b)
		}
	}
}

// known reports whether group a is known to come before b.
func (r *relation) known(a, b int) bool { return r.later[a].has(b) }

// before returns whether group a comes before b.
func (r *relation) before(a, b int) gate {
	switch {
	case r.known(a, b):
		return high
	case r.known(b, a):
		return low
	case a > b:
		return r.before(b, a).not()
	}
	g, ok := r.gates[pair{a, b}]
	if !ok {
		g = r.c.input()
		r.gates[pair{a, b}] = g
		r.pairs = append(r.pairs, pair{a, b})
	}
	return g
}

// close excludes cycles. It is called before a question is put to the solver, and does something only
// if there are new pairs.
func (x *encoder) close() {
	o := x.order
	if o == nil || o.closed == len(o.pairs) {
		return
	}
	if clauses := o.exclude(); clauses > maxClauses {
		panic(stopped{notOrderedFor(nil, "%d events, whose order would need more than %d clauses", len(o.groups), maxClauses)})
	}
	o.closed = len(o.pairs)
}

// exclude adds the clauses that exclude cycles, up to maxClauses and some more. It returns how many they are.
func (r *relation) exclude() int {
	e := &eliminated{relation: r, near: newBitsets(r.n), degree: make([]int, r.n)}
	for _, p := range r.pairs {
		e.link(p.a, p.b)
	}
	for a, out := range r.arcs {
		for _, b := range out {
			e.link(a, b)
		}
	}
	for range r.n {
		if e.clauses > maxClauses {
			break
		}
		e.c.step()
		e.eliminate(e.next())
	}
	return e.clauses
}

// eliminated is the graph of the groups that are not eliminated yet.
type eliminated struct {
	*relation
	near    []bitset
	degree  []int // -1: eliminated
	clauses int
	list    []int
}

func (e *eliminated) link(a, b int) {
	if !e.near[a].has(b) {
		e.near[a].add(b)
		e.near[b].add(a)
		e.degree[a]++
		e.degree[b]++
	}
}

// next returns the group with the fewest neighbours.
func (e *eliminated) next() int {
	best := -1
	for i, d := range e.degree {
		if d >= 0 && (best < 0 || d < e.degree[best]) {
			best = i
		}
	}
	return best
}

func (e *eliminated) eliminate(v int) {
	near := e.near[v].list(e.list[:0])
	e.list = near
	for i, a := range near {
		for _, b := range near[i+1:] {
			e.c.step()
			switch {
			case e.known(a, b):
				e.between(a, v, b)
			case e.known(b, a):
				e.between(b, v, a)
			default:
				e.link(a, b)
				ab, av, vb := e.before(a, b), e.before(a, v), e.before(v, b)
				e.clause(av.not(), vb.not(), ab)
				e.clause(av, vb, ab.not())
			}
		}
	}
	for _, a := range near {
		e.near[a].remove(v)
		e.degree[a]--
	}
	e.degree[v] = -1
}

// between excludes that v comes after b and before a, where a is known to come before b.
func (e *eliminated) between(a, v, b int) {
	for w := range e.near[v] {
		if e.near[v][w]&e.later[a][w]&e.sooner[b][w] != 0 {
			return // another neighbour comes between them
		}
	}
	av, vb := e.before(a, v), e.before(v, b)
	if av == high && vb == high {
		e.link(a, b)
	}
	e.clause(av, vb)
}

func (e *eliminated) clause(gs ...gate) {
	for _, g := range gs {
		if g == high {
			return
		}
	}
	e.clauses++
	e.c.assert(gs...)
}

// ranks returns the position of every group in an order in which a model has them.
func (r *relation) ranks(is func(gate) bool) []int {
	out := make([][]int, r.n)
	waits := make([]int, r.n)
	add := func(a, b int) {
		out[a] = append(out[a], b)
		waits[b]++
	}
	for a, known := range r.arcs {
		for _, b := range known {
			add(a, b)
		}
	}
	for _, p := range r.pairs {
		if is(r.gates[p]) {
			add(p.a, p.b)
		} else {
			add(p.b, p.a)
		}
	}
	rank := make([]int, r.n)
	for k, a := range sorted(out, waits) {
		rank[a] = k
	}
	return rank
}

// sorted returns the groups in an order that arcs allow. waits has the number of arcs to each, and is used up.
func sorted(arcs [][]int, waits []int) []int {
	order := make([]int, 0, len(arcs))
	for i := range arcs {
		if waits[i] == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, b := range arcs[order[k]] {
			if waits[b]--; waits[b] == 0 {
				order = append(order, b)
			}
		}
	}
	if len(order) < len(arcs) {
		panic("BUG: an order of events has a cycle")
	}
	return order
}
