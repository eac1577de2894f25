package sat

import (
	"context"
	"slices"
)

// Conflict-driven clause learning, in the tradition of MiniSat and Glucose: two
// watched literals with blockers, learning from the first unique implication
// point with minimization, activities of variables in a heap, saved phases,
// restarts by the quality of learnt clauses alternating with phases of rare
// restarts, and a clause database that keeps clauses with few decision levels.
//
// A literal is twice its variable, plus one if negated; variables count from 0.
// Clauses are in one arena: a header of two words (size; flags and quality), then
// the literals, of which the first two are watched.

type lit uint32

func (l lit) not() lit  { return l ^ 1 }
func (l lit) v() uint32 { return uint32(l >> 1) }

type cref uint32

const (
	noClause  cref = ^cref(0)
	headWords      = 2
	learntBit      = 1 << 31
	usedBit        = 1 << 30
	lbdMask        = usedBit - 1
)

type watch struct {
	c       cref
	blocker lit // if it is true the clause need not be visited
}

// Values of literals.
const (
	unknown int8 = 0
	yes     int8 = 1
	no      int8 = -1
)

// Embedded is the solver that is part of the binary.
type Embedded struct {
	database

	assignment
	act  []float64
	heap varHeap
	inc  float64

	analysis
	elimination
	pace

	refuted bool // the clauses have no model
	proof   *Proof
	model   []bool
	scratch []lit

	Conflicts    int64
	Decisions    int64
	Propagations int64
	work         int64 // since it was last counted
}

// assignment has the values of variables, and their reasons.
type assignment struct {
	vals   []int8  // by literal
	level  []int32 // by variable
	reason []cref  // by variable; see binReason
	other  []lit   // by variable: the other literal of a binary reason
	phase  []bool  // by variable: last value
	trail  []lit
	limits []int // trail length at each decision
	head   int   // trail processed so far
}

// database has the clauses.
type database struct {
	arena   []uint32
	clauses []cref // added by the caller
	learnts []cref
	wasted  int // words of the arena in dropped clauses
	watches [][]watch
	bins    [][]lit // binary clauses: the literals that a true literal implies
	binary  int64   // how many binary clauses there are
	limit   int64   // memory limit in bytes, 0: none
}

// analysis is the scratch of conflict analysis.
type analysis struct {
	seen    []bool // by variable
	toClear []uint32
	stack   []lit
	learnt  []lit
	stamp   []uint64 // by level, for counting levels
	stamps  uint64
}

// elimination has the variables that simplification has eliminated.
type elimination struct {
	gone       []bool  // by variable: it is eliminated
	elimAt     []int32 // by variable: its index in elims
	elims      []eliminated
	simplified bool
}

// pace decides when to restart and when to drop learnt clauses.
type pace struct {
	fast, slow float64 // averages of the quality of learnt clauses
	nextReduce int64
	reduceStep int64
}

// binReason marks a variable implied by a binary clause; other has the rest.
const binReason cref = ^cref(0) - 1

// NewEmbedded returns an empty solver.
func NewEmbedded() *Embedded {
	return &Embedded{inc: 1, pace: pace{nextReduce: 2000, reduceStep: 2000}}
}

// Sizes in memory: of a variable in all slices by variable and by literal, and of an element of a
// list of lists, which has room to grow.
const (
	variableBytes = 160
	watchBytes    = 12
	binaryBytes   = 6
)

// Bytes returns about how much memory the solver uses.
func (s *Embedded) Bytes() int64 {
	clauses := int64(len(s.clauses) + len(s.learnts))
	return 4*int64(cap(s.arena)) + variableBytes*int64(len(s.level)) + (2*watchBytes+4)*clauses + 2*binaryBytes*s.binary
}

// Limit sets the memory limit.
func (s *Embedded) Limit(bytes int64) { s.limit = bytes }

// full reports whether the memory limit is exceeded.
func (s *Embedded) full() bool { return s.limit > 0 && s.Bytes() > s.limit }

func (s *Embedded) grow(vars int) {
	for len(s.level) < vars {
		v := uint32(len(s.level))
		s.vals = append(s.vals, unknown, unknown)
		s.watches = append(s.watches, nil, nil)
		s.bins = append(s.bins, nil, nil)
		s.level = append(s.level, 0)
		s.reason = append(s.reason, noClause)
		s.other = append(s.other, 0)
		s.phase = append(s.phase, false)
		s.act = append(s.act, 0)
		s.seen = append(s.seen, false)
		s.gone = append(s.gone, false)
		s.elimAt = append(s.elimAt, 0)
		s.stamp = append(s.stamp, 0)
		s.heap.grow(v)
		s.heap.insert(v, s.act)
	}
}

func (s *Embedded) intern(l Lit) lit {
	v := max(l, -l)
	s.grow(int(v))
	if l < 0 {
		return lit(v-1)<<1 | 1
	}
	return lit(v-1) << 1
}

// Add adds a clause.
func (s *Embedded) Add(clause ...Lit) {
	s.proof.input(clause)
	s.cancel(0)
	c := s.scratch[:0]
	for _, l := range clause {
		c = append(c, s.intern(l))
	}
	s.scratch = c
	for _, l := range c {
		if s.gone[l.v()] {
			s.restore(l.v())
		}
	}
	s.add(c)
}

// add adds a clause of known variables. It may reorder it.
func (s *Embedded) add(c []lit) {
	slices.Sort(c)
	c = slices.Compact(c)
	kept := c[:0]
	for i, l := range c {
		if i+1 < len(c) && c[i+1] == l.not() && l&1 == 0 || s.vals[l] == yes {
			return
		}
		if s.vals[l] == unknown {
			kept = append(kept, l)
		}
	}
	switch len(kept) {
	case 0:
		s.refuted = true
	case 1:
		s.assign(kept[0], noClause, 0)
		s.refuted = s.refuted || s.propagate().found
	case 2:
		s.addBinary(kept[0], kept[1])
	default:
		s.clauses = append(s.clauses, s.attach(kept, false, 0))
	}
}

func (s *Embedded) addBinary(a, b lit) {
	s.binary++
	s.bins[a.not()] = append(s.bins[a.not()], b)
	s.bins[b.not()] = append(s.bins[b.not()], a)
}

func (s *Embedded) attach(c []lit, learnt bool, lbd int) cref {
	at := cref(len(s.arena))
	flags := uint32(min(lbd, lbdMask))
	if learnt {
		flags |= learntBit | usedBit
	}
	s.arena = append(s.arena, uint32(len(c)), flags)
	for _, l := range c {
		s.arena = append(s.arena, uint32(l))
	}
	s.watches[c[0].not()] = append(s.watches[c[0].not()], watch{at, c[1]})
	s.watches[c[1].not()] = append(s.watches[c[1].not()], watch{at, c[0]})
	return at
}

func (s *Embedded) lits(c cref) []uint32 {
	n := s.arena[c]
	return s.arena[c+headWords : c+headWords+cref(n)]
}

// Value returns the value of a literal in the model.
func (s *Embedded) Value(l Lit) bool {
	if l < 0 {
		return !s.Value(-l)
	}
	return int(l) <= len(s.model) && s.model[l-1]
}

func (s *Embedded) decisionLevel() int { return len(s.limits) }

func (s *Embedded) assign(l lit, why cref, other lit) {
	v := l.v()
	s.vals[l], s.vals[l.not()] = yes, no
	s.level[v] = int32(s.decisionLevel())
	s.reason[v], s.other[v] = why, other
	s.trail = append(s.trail, l)
}

// cancel returns to a decision level.
func (s *Embedded) cancel(level int) {
	if s.decisionLevel() <= level {
		return
	}
	start := s.limits[level]
	for i := len(s.trail) - 1; i >= start; i-- {
		l := s.trail[i]
		v := l.v()
		s.vals[l], s.vals[l.not()] = unknown, unknown
		s.phase[v] = l&1 == 0
		s.heap.insert(v, s.act)
	}
	s.trail, s.limits, s.head = s.trail[:start], s.limits[:level], start
}

// conflict is a clause all of whose literals are false.
type conflict struct {
	found bool
	c     cref
	a, b  lit // if it is binary
}

// propagate assigns implied literals.
func (s *Embedded) propagate() conflict {
	for s.head < len(s.trail) {
		p := s.trail[s.head]
		s.head++
		s.Propagations++
		s.work += propagationCost + clauseCost*int64(len(s.bins[p])/8+len(s.watches[p]))
		for _, q := range s.bins[p] {
			switch s.vals[q] {
			case no:
				s.head = len(s.trail)
				return conflict{found: true, c: binReason, a: q, b: p.not()}
			case unknown:
				s.assign(q, binReason, p.not())
			}
		}
		if c := s.visit(p); c.found {
			return c
		}
	}
	return conflict{}
}

// visit visits the clauses that watch the negation of p.
func (s *Embedded) visit(p lit) conflict {
	ws := s.watches[p]
	falseLit := p.not()
	kept := 0
next:
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		if s.vals[w.blocker] == yes {
			ws[kept] = w
			kept++
			continue
		}
		c := s.lits(w.c)
		if lit(c[0]) == falseLit {
			c[0], c[1] = c[1], c[0]
		}
		first := lit(c[0])
		if first != w.blocker && s.vals[first] == yes {
			ws[kept] = watch{w.c, first}
			kept++
			continue
		}
		for k := 2; k < len(c); k++ {
			if q := lit(c[k]); s.vals[q] != no {
				c[1], c[k] = c[k], c[1]
				s.watches[q.not()] = append(s.watches[q.not()], watch{w.c, first})
				continue next
			}
		}
		ws[kept] = watch{w.c, first}
		kept++
		if s.vals[first] == no {
			kept += copy(ws[kept:], ws[i+1:])
			s.watches[p] = ws[:kept]
			s.head = len(s.trail)
			return conflict{found: true, c: w.c}
		}
		s.assign(first, w.c, 0)
	}
	s.watches[p] = ws[:kept]
	return conflict{}
}

// Solve searches for a model.
func (s *Embedded) Solve(ctx context.Context, assumptions ...Lit) (Status, error) {
	s.cancel(0)
	if ctx.Err() != nil {
		return Interrupted, nil
	}
	if s.refuted {
		return Unsat, nil
	}
	if s.full() {
		return OutOfMemory, nil
	}
	var assume []lit
	for _, a := range assumptions {
		l := s.intern(a)
		if s.gone[l.v()] {
			s.restore(l.v())
		}
		assume = append(assume, l)
	}
	// Simplification needs a second copy of the clauses, and occurrence lists.
	if !s.simplified && (s.limit <= 0 || 3*s.Bytes() <= s.limit) {
		s.simplify(ctx, assume)
	}
	if s.refuted {
		return Unsat, nil
	}
	status := s.search(ctx, assume)
	if status == Sat {
		s.model = slices.Grow(s.model[:0], len(s.level))[:len(s.level)]
		for v := range s.model {
			s.model[v] = s.vals[2*v] == yes
		}
		s.extend()
	}
	s.cancel(0)
	return status, nil
}
