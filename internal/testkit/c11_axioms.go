package testkit

import "slices"

// RC11 by its definition [LVKHD17], with release sequences as C++20 has them: every relation is a matrix, closures are
// computed by Warshall's loops, and every order of the writes is tried. Shares nothing with package rc11 or replay.

// C11Event is an event of a C11Graph.
type C11Event struct {
	Thread int
	Index  int  // in its thread
	Op     int  // the operation of its thread that it belongs to
	Kind   byte // 'R', 'W' or 'F'
	Loc    int
	Mode   string // na, rlx, acq, rel, ar, sc
	From   int    // of a read: the event that it reads from, -1 for the initial value
	Update bool   // of a write: together with the read before it
	Lock   bool   // on a mutex

	NoReason bool // the read of a compare-exchange that fails without a reason; of one that has no source yet: it may
	Expects  int  // of one that has no source yet: with which value
}

// C11Graph is the events of an execution with their sources.
type C11Graph []C11Event

type relation [][]bool

func newRelation(n int) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	return r
}

func (r relation) closed() relation {
	out := newRelation(len(r))
	for i := range r {
		copy(out[i], r[i])
	}
	for k := range r {
		for i := range r {
			for j := range r {
				if out[i][k] && out[k][j] {
					out[i][j] = true
				}
			}
		}
	}
	return out
}

// then is r ; q.
func (r relation) then(q relation) relation {
	out := newRelation(len(r))
	for i := range r {
		for j := range r {
			for k := range r {
				out[i][k] = out[i][k] || r[i][j] && q[j][k]
			}
		}
	}
	return out
}

func (r relation) cyclic() bool {
	c := r.closed()
	for i := range c {
		if c[i][i] {
			return true
		}
	}
	return false
}

func c11Acquires(m string) bool { return m == "acq" || m == "ar" || m == "sc" }
func c11Releases(m string) bool { return m == "rel" || m == "ar" || m == "sc" }

// po is program order.
func (g C11Graph) po(a, b int) bool { return g[a].Thread == g[b].Thread && g[a].Index < g[b].Index }

// sequences returns for each write the writes whose release sequence it belongs to.
func (g C11Graph) sequences() [][]int {
	out := make([][]int, len(g))
	var of func(w int) []int
	of = func(w int) []int {
		heads := []int{w}
		if g[w].Update {
			for r := range g {
				if g.po(r, w) && g[r].Index == g[w].Index-1 && g[r].From >= 0 {
					heads = append(heads, of(g[r].From)...)
				}
			}
		}
		return heads
	}
	for w := range g {
		if g[w].Kind == 'W' {
			out[w] = of(w)
		}
	}
	return out
}

// happensBefore returns hb, or false if reads-from and program order have a cycle.
func (g C11Graph) happensBefore() (relation, bool) {
	n := len(g)
	porf, hb := newRelation(n), newRelation(n)
	for a := range g {
		for b := range g {
			if g.po(a, b) {
				porf[a][b], hb[a][b] = true, true
			}
		}
		if g[a].Kind == 'R' && g[a].From >= 0 {
			porf[g[a].From][a] = true
		}
	}
	if porf.cyclic() {
		return nil, false
	}
	seqs := g.sequences()
	for r := range g {
		if g[r].Kind != 'R' || g[r].From < 0 || g[r].Mode == "na" {
			continue
		}
		for _, w := range seqs[g[r].From] {
			if g[w].Mode == "na" {
				continue
			}
			for from := range g {
				if !(from == w && c11Releases(g[w].Mode) || g[from].Kind == 'F' && c11Releases(g[from].Mode) && g.po(from, w)) {
					continue
				}
				for to := range g {
					if to == r && c11Acquires(g[r].Mode) || g[to].Kind == 'F' && c11Acquires(g[to].Mode) && g.po(r, to) {
						hb[from][to] = true
					}
				}
			}
		}
	}
	return hb.closed(), true
}

// C11Race reports whether two accesses race.
func (g C11Graph) C11Race() bool {
	hb, ok := g.happensBefore()
	if !ok {
		return false
	}
	for a := range g {
		for b := range g {
			if g[a].Thread != g[b].Thread && g[a].Kind != 'F' && g[b].Kind != 'F' && g[a].Loc == g[b].Loc &&
				(g[a].Kind == 'W' || g[b].Kind == 'W') && (g[a].Mode == "na" || g[b].Mode == "na") && !hb[a][b] && !hb[b][a] {
				return true
			}
		}
	}
	return false
}

// Orders calls f with every modification order that satisfies the axioms: the writes of each location, in order.
func (g C11Graph) Orders(locs int, f func(mo [][]int)) {
	hb, ok := g.happensBefore()
	if !ok {
		return
	}
	for e := range g {
		if hb[e][e] {
			return
		}
	}
	writes := make([][]int, locs)
	for e := range g {
		if g[e].Kind == 'W' {
			writes[g[e].Loc] = append(writes[g[e].Loc], e)
		}
	}
	mo := make([][]int, locs)
	var at func(loc int)
	at = func(loc int) {
		if loc == locs {
			if g.satisfies(hb, mo) {
				f(mo)
			}
			return
		}
		g.permute(hb, writes[loc], nil, func(order []int) {
			mo[loc] = order
			at(loc + 1)
		})
	}
	at(0)
}

// permute calls f with every order of the writes of a location that begins with some of them. It leaves out orders that
// hb contradicts, and orders in which another write comes right before a read-modify-write than its source.
func (g C11Graph) permute(hb relation, left, begin []int, f func([]int)) {
	if len(left) == 0 {
		f(slices.Clone(begin))
		return
	}
	for i, w := range left {
		last := -1
		if len(begin) > 0 {
			last = begin[len(begin)-1]
		}
		if slices.ContainsFunc(left, func(v int) bool { return hb[v][w] }) || g[w].Update && g.sourceOf(w) != last {
			continue
		}
		g.permute(hb, slices.Delete(slices.Clone(left), i, i+1), append(slices.Clone(begin), w), f)
	}
}

// sourceOf returns what the read of a read-modify-write reads from.
func (g C11Graph) sourceOf(w int) int {
	r := slices.IndexFunc(g, func(e C11Event) bool { return e.Thread == g[w].Thread && e.Index == g[w].Index-1 })
	return g[r].From
}

// satisfies checks coherence, atomicity and SC.
func (g C11Graph) satisfies(hb relation, orders [][]int) bool {
	n := len(g)
	mo, rb, rf := newRelation(n), newRelation(n), newRelation(n)
	pos := make([]int, n)
	for _, list := range orders {
		for i, a := range list {
			pos[a] = i
			for _, b := range list[i+1:] {
				mo[a][b] = true
			}
		}
	}
	source := func(r int) int {
		if g[r].From < 0 {
			return -1
		}
		return pos[g[r].From]
	}
	for r := range g {
		if g[r].Kind != 'R' {
			continue
		}
		if g[r].From >= 0 {
			rf[g[r].From][r] = true
		}
		for w := range g {
			if g[w].Kind == 'W' && g[w].Loc == g[r].Loc && pos[w] > source(r) {
				rb[r][w] = true
			}
			if g[w].Kind == 'W' && g[w].Update && g.po(r, w) && g[r].Index == g[w].Index-1 && pos[w] != source(r)+1 {
				return false
			}
		}
	}
	eco := newRelation(n)
	for a := range g {
		for b := range g {
			eco[a][b] = mo[a][b] || rb[a][b] || rf[a][b]
		}
	}
	eco = eco.closed()
	for a := range g {
		for b := range g {
			if a != b && hb[a][b] && eco[b][a] || eco[a][a] {
				return false
			}
		}
	}
	if !slices.ContainsFunc(g, func(e C11Event) bool { return e.Mode == "sc" }) {
		return true
	}
	return !g.psc(hb, mo, rb, eco).cyclic()
}

// SC reports whether program order, reads-from, the order of writes and reads-before have no cycle: then there is an execution
// under SC with these reads and this order of writes.
func (g C11Graph) SC(orders [][]int) bool {
	all := newRelation(len(g))
	for a := range g {
		for b := range g {
			all[a][b] = g.po(a, b)
		}
	}
	for _, list := range orders {
		for i, w := range list {
			for _, later := range list[i+1:] {
				all[w][later] = true
			}
			for r := range g {
				switch at := slices.Index(list, g[r].From); {
				case g[r].Kind != 'R' || g[r].Loc != g[w].Loc:
				case g[r].From == w:
					all[w][r] = true
				case g[r].From < 0 || at < i:
					all[r][w] = true
				}
			}
		}
	}
	return !all.cyclic()
}

// psc is the relation of the axiom SC.
func (g C11Graph) psc(hb, mo, rb, eco relation) relation {
	n := len(g)
	other := func(a, b int) bool {
		return g.po(a, b) && (g[a].Kind == 'F' || g[b].Kind == 'F' || g[a].Loc != g[b].Loc)
	}
	others := newRelation(n)
	for a := range g {
		for b := range g {
			others[a][b] = other(a, b)
		}
	}
	around := others.then(hb).then(others)
	scb := newRelation(n)
	for a := range g {
		for d := range g {
			same := g[a].Kind != 'F' && g[d].Kind != 'F' && g[a].Loc == g[d].Loc
			scb[a][d] = g.po(a, d) || same && hb[a][d] || mo[a][d] || rb[a][d] || around[a][d]
		}
	}
	out := newRelation(n)
	starts := func(p, a int) bool {
		return g[p].Mode == "sc" && (p == a || g[p].Kind == 'F' && hb[p][a])
	}
	ends := func(b, q int) bool {
		return g[q].Mode == "sc" && (b == q || g[q].Kind == 'F' && hb[b][q])
	}
	for p := range g {
		for q := range g {
			if g[p].Mode != "sc" || g[q].Mode != "sc" {
				continue
			}
			fences := g[p].Kind == 'F' && g[q].Kind == 'F'
			out[p][q] = fences && hb[p][q]
			for a := range g {
				for b := range g {
					if scb[a][b] && starts(p, a) && ends(b, q) || fences && hb[p][a] && eco[a][b] && hb[b][q] {
						out[p][q] = true
					}
				}
			}
		}
	}
	return out
}
