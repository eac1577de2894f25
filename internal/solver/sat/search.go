package sat

import (
	"context"
	"slices"

	"fencepost/internal/budget"
)

// Constants of restarts and of the clause database.
const (
	varDecay      = 0.95
	rescaleAt     = 1e100
	modeConflicts = 1000 // of the first stretch of each restart policy
	glueKept      = 2    // learnt clauses of so few levels are never dropped
	lubyUnit      = 1024
	checkEvery    = 64 // conflicts between two checks of the context
)

// search is the main loop. It ends at decision level 0 if it found Unsat.
func (s *Embedded) search(ctx context.Context, assume []lit) Status {
	var sinceRestart, modeLeft int64 = 0, modeConflicts
	stable, modeSize, lubyAt := false, int64(modeConflicts), int64(1)
	decisions := 0
	for {
		if c := s.propagate(); c.found {
			s.Conflicts++
			sinceRestart++
			modeLeft--
			if s.decisionLevel() == 0 {
				s.refuted = true
				return Unsat
			}
			s.learn(c)
			if s.Conflicts%checkEvery == 0 {
				if status := s.stopped(ctx); status != StatusUnset {
					return status
				}
			}
			continue
		}
		restart := sinceRestart > 10 && s.fast > 1.1*s.slow
		if stable {
			restart = sinceRestart >= lubyUnit*luby(lubyAt)
		}
		if restart {
			sinceRestart = 0
			lubyAt++
			s.cancel(0)
			if modeLeft <= 0 {
				stable = !stable
				modeSize += modeSize / 2
				modeLeft = modeSize
			}
			continue
		}
		if s.Conflicts >= s.nextReduce {
			s.reduceStep += 300
			s.nextReduce = s.Conflicts + s.reduceStep
			s.reduce()
		}
		if decisions++; decisions%4096 == 0 {
			if status := s.stopped(ctx); status != StatusUnset {
				return status
			}
		}
		next, done, failed := s.decide(assume)
		switch {
		case failed:
			return Unsat
		case done:
			return Sat
		}
		s.limits = append(s.limits, len(s.trail))
		if next != noLit {
			s.assign(next, noClause, 0)
		}
	}
}

// What is counted as work: a propagation, a clause that it visits, a literal of a clause that is learnt, and a step of
// the simplifier.
const (
	propagationCost = 20
	clauseCost      = 12
	learntCost      = 100
	simplifyCost    = 15
)

// stopped counts the work since the last call. It returns the status of the limit
// that ends the search, StatusUnset for none.
func (s *Embedded) stopped(ctx context.Context) Status {
	work := s.work
	s.work = 0
	switch {
	case budget.Spend(ctx, work) != nil:
		return Interrupted
	case s.full():
		return OutOfMemory
	default:
		return StatusUnset
	}
}

const noLit = ^lit(0)

// decide returns the next decision: assumptions first, each at a level of its own, then the most
// active variable.
func (s *Embedded) decide(assume []lit) (next lit, done, failed bool) {
	if n := s.decisionLevel(); n < len(assume) {
		switch s.vals[assume[n]] {
		case yes:
			return noLit, false, false
		case no:
			return noLit, false, true
		}
		return assume[n], false, false
	}
	for !s.heap.empty() {
		v := s.heap.pop(s.act)
		if s.vals[2*v] != unknown || s.gone[v] {
			continue
		}
		s.Decisions++
		if s.phase[v] {
			return lit(2 * v), false, false
		}
		return lit(2*v + 1), false, false
	}
	return noLit, true, false
}

// luby returns the i-th number of the sequence 1 1 2 1 1 2 4 ...
func luby(i int64) int64 {
	for {
		k := int64(1)
		for k < i+1 {
			k <<= 1
		}
		if k == i+1 {
			return k / 2
		}
		i -= k/2 - 1
	}
}

// learn analyzes a conflict, backtracks, and adds the learnt clause.
func (s *Embedded) learn(c conflict) {
	back := s.analyze(c)
	s.proof.derive(s.learnt)
	s.work += learntCost * int64(len(s.learnt))
	lbd := s.levels(s.learnt)
	s.fast += (float64(lbd) - s.fast) / 32
	s.slow += (float64(lbd) - s.slow) / 8192
	if s.Conflicts < 8192 { // until there have been enough for an average
		s.slow += (float64(lbd) - s.slow) / float64(s.Conflicts+1)
	}
	s.cancel(back)
	switch l := s.learnt; len(l) {
	case 1:
		s.assign(l[0], noClause, 0)
	case 2:
		s.addBinary(l[0], l[1])
		s.assign(l[0], binReason, l[1])
	default:
		at := s.attach(l, true, lbd)
		s.learnts = append(s.learnts, at)
		s.assign(l[0], at, 0)
	}
	s.inc /= varDecay
}

// levels counts the decision levels of literals.
func (s *Embedded) levels(c []lit) int {
	s.stamps++
	n := 0
	for _, l := range c {
		lv := s.level[l.v()]
		for int(lv) >= len(s.stamp) {
			s.stamp = append(s.stamp, 0)
		}
		if s.stamp[lv] != s.stamps {
			s.stamp[lv] = s.stamps
			n++
		}
	}
	return n
}

func (s *Embedded) bump(v uint32) {
	if s.act[v] += s.inc; s.act[v] > rescaleAt {
		for i := range s.act {
			s.act[i] /= rescaleAt
		}
		s.inc /= rescaleAt
	}
	s.heap.raise(v, s.act)
}

// analyze fills s.learnt with the clause of the first unique implication point. The literal of that
// point comes first, and one of the level to return to second. It returns that level.
func (s *Embedded) analyze(c conflict) int {
	s.learnt = append(s.learnt[:0], 0)
	open, at := 0, len(s.trail)-1
	take := func(q lit) {
		v := q.v()
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		s.toClear = append(s.toClear, v)
		s.bump(v)
		if int(s.level[v]) == s.decisionLevel() {
			open++
		} else {
			s.learnt = append(s.learnt, q)
		}
	}
	why, p := c.c, noLit
	for {
		switch {
		case why != binReason:
			if s.arena[why+1]&learntBit != 0 {
				s.improve(why)
			}
			for _, q := range s.lits(why) {
				if lit(q) != p {
					take(lit(q))
				}
			}
		case p == noLit:
			take(c.a)
			take(c.b)
		default:
			take(s.other[p.v()])
		}
		for !s.seen[s.trail[at].v()] {
			at--
		}
		p = s.trail[at]
		at--
		why = s.reason[p.v()]
		if open--; open == 0 {
			break
		}
	}
	s.learnt[0] = p.not()
	s.minimize()
	for _, v := range s.toClear {
		s.seen[v] = false
	}
	s.toClear = s.toClear[:0]
	if len(s.learnt) == 1 {
		return 0
	}
	deepest := 1
	for i := 2; i < len(s.learnt); i++ {
		if s.level[s.learnt[i].v()] > s.level[s.learnt[deepest].v()] {
			deepest = i
		}
	}
	s.learnt[1], s.learnt[deepest] = s.learnt[deepest], s.learnt[1]
	return int(s.level[s.learnt[1].v()])
}

// improve notes that a learnt clause was used, and updates its count of levels.
func (s *Embedded) improve(c cref) {
	s.stamps++
	n := uint32(0)
	for _, q := range s.lits(c) {
		lv := s.level[lit(q).v()]
		for int(lv) >= len(s.stamp) {
			s.stamp = append(s.stamp, 0)
		}
		if s.stamp[lv] != s.stamps {
			s.stamp[lv] = s.stamps
			n++
		}
	}
	h := s.arena[c+1]
	s.arena[c+1] = h&learntBit | usedBit | min(n, h&lbdMask)
}

// minimize removes literals that the others imply.
func (s *Embedded) minimize() {
	kept := s.learnt[:1]
	for _, l := range s.learnt[1:] {
		if s.reason[l.v()] == noClause || !s.redundant(l) {
			kept = append(kept, l)
		}
	}
	s.learnt = kept
}

// redundant reports whether l is implied by literals of the clause or of level 0.
func (s *Embedded) redundant(l lit) bool {
	s.stack = append(s.stack[:0], l)
	mark := len(s.toClear)
	for len(s.stack) > 0 {
		p := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		step := func(q lit) bool {
			v := q.v()
			if s.seen[v] || s.level[v] == 0 {
				return true
			}
			if s.reason[v] == noClause {
				return false
			}
			s.seen[v] = true
			s.toClear = append(s.toClear, v)
			s.stack = append(s.stack, q)
			return true
		}
		ok := true
		if why := s.reason[p.v()]; why == binReason {
			ok = step(s.other[p.v()])
		} else {
			for _, q := range s.lits(why) {
				if lit(q).v() != p.v() && !step(lit(q)) {
					ok = false
					break
				}
			}
		}
		if !ok {
			for _, v := range s.toClear[mark:] {
				s.seen[v] = false
			}
			s.toClear = s.toClear[:mark]
			return false
		}
	}
	return true
}

// reduce drops the worse half of the learnt clauses.
func (s *Embedded) reduce() {
	locked := func(c cref) bool {
		l := lit(s.lits(c)[0])
		return s.vals[l] == yes && s.reason[l.v()] == c
	}
	var candidates, kept []cref
	for _, c := range s.learnts {
		h := s.arena[c+1]
		if h&lbdMask <= glueKept || h&usedBit != 0 && h&lbdMask <= 6 || locked(c) {
			s.arena[c+1] = h &^ usedBit
			kept = append(kept, c)
		} else {
			candidates = append(candidates, c)
		}
	}
	worse := func(c cref) uint64 { return uint64(s.arena[c+1]&lbdMask)<<32 | uint64(s.arena[c]) }
	slices.SortStableFunc(candidates, func(a, b cref) int {
		switch x, y := worse(a), worse(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	half := len(candidates) / 2
	kept = append(kept, candidates[:half]...)
	drop := make(map[cref]bool, len(candidates)-half)
	for _, c := range candidates[half:] {
		drop[c] = true
		s.wasted += headWords + int(s.arena[c])
	}
	for l := range s.watches {
		ws := s.watches[l][:0]
		for _, w := range s.watches[l] {
			if !drop[w.c] {
				ws = append(ws, w)
			}
		}
		s.watches[l] = ws
	}
	s.learnts = kept
	if s.wasted > len(s.arena)/2 {
		s.compact()
	}
}

// compact removes dropped clauses from the arena.
func (s *Embedded) compact() {
	moved := make(map[cref]cref, len(s.clauses)+len(s.learnts))
	var arena []uint32
	for _, list := range [][]cref{s.clauses, s.learnts} {
		for i, c := range list {
			to := cref(len(arena))
			arena = append(arena, s.arena[c:c+headWords+cref(s.arena[c])]...)
			moved[c] = to
			list[i] = to
		}
	}
	for l := range s.watches {
		for i := range s.watches[l] {
			s.watches[l][i].c = moved[s.watches[l][i].c]
		}
	}
	for _, l := range s.trail {
		if why := s.reason[l.v()]; why != noClause && why != binReason {
			s.reason[l.v()] = moved[why]
		}
	}
	s.arena, s.wasted = arena, 0
}
