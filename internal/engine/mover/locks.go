package mover

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Locks. A variable is a lock if its value says whether a thread holds it, threads take it one at a
// time, and only the holder releases it. A flag or the word of a mutex is free while it is 0. A
// counter is free while it is 1: it is never more, and threads that try to take it decrement it.
// Two threads are never both at locations at which they hold the lock. Location invariants alone
// cannot express this, since it is about two threads.
//
// The locations at which a thread holds a variable are guessed from the control-flow graph. The
// solver then checks for every step that the number of holders stays 1 if the variable is not free,
// and 0 if it is.

// lockFinder finds the variables that are locks.
type lockFinder struct{ pr *problem }

// holding says when a thread at a location holds a lock.
type holding struct {
	kind holdKind
	reg  ir.Reg // of the kinds that depend on one
}

type holdKind uint8

const (
	_          holdKind = iota // unknown
	free                       // not held
	held                       // held
	heldIf                     // held if the register is not 0: the result of a cas
	heldUnless                 // held if the register is 0: the result of an exchange
	heldAbove                  // held if the register is 0 or more: what a counter was counted down to
	heldFrom                   // held if the register is 1 or more: what a counter was before
)

// depends reports whether holding depends on a register.
func (h holding) depends() bool { return h.kind >= heldIf }

// says returns the condition on the value of the register.
func (h holding) says(a Arithmetic, value string) string {
	switch h.kind {
	case held:
		return "true"
	case heldIf:
		return a.nonZero(value)
	case heldUnless:
		return a.isZero(value)
	case heldAbove:
		return a.le(a.num(0), value)
	case heldFrom:
		return a.le(a.num(1), value)
	default:
		return "false"
	}
}

type lock struct {
	region  int
	counter bool // free while 1 or more, rather than while 0
	at      map[*class][]holding
}

// free returns the condition that no thread holds the lock.
func (lk *lock) free(pr *problem, m memory) string {
	if lk.counter {
		return pr.arith.le(pr.arith.num(1), pr.value(m, lk.region))
	}
	return pr.arith.isZero(pr.value(m, lk.region))
}

// below returns the condition that a counter is at most 1.
func (lk *lock) below(pr *problem, m memory) string {
	if lk.counter {
		return pr.arith.le(pr.value(m, lk.region), pr.arith.num(1))
	}
	return "true"
}

// frees reports whether storing a constant releases the lock.
func (lk *lock) frees(v int64) bool {
	if lk.counter {
		return v >= 1
	}
	return v == 0
}

// holds returns the condition that a thread of class c at l holds the lock.
func (lk *lock) holds(a Arithmetic, c *class, l ir.Loc, regs []string) string {
	h := lk.at[c][l]
	if !h.depends() {
		return h.says(a, "")
	}
	return h.says(a, regs[h.reg])
}

// findLocks adds the variables that are locks.
func (k *knowledge) findLocks() {
	pr := k.pr
	for region := range pr.regions {
		if !pr.isSingle(region) || pr.ghosts[region] != nil { // only the steps of the program are looked at
			continue
		}
		for _, counter := range []bool{false, true} {
			if lk := k.lockFinder.findLock(region, counter); lk != nil {
				k.locks = append(k.locks, lk)
				k.changed()
				break
			}
		}
	}
}

// findLock returns a variable as a lock, or nil if it is none. A lock that is held initially is
// held by a class with a single thread.
func (lf *lockFinder) findLock(region int, counter bool) *lock {
	g := &lf.pr.regions[region]
	first := &lock{region: region, counter: counter}
	value := g.typ.Wrap(lf.pr.first(uint64(g.base), g.size))
	if counter && value > 1 {
		return nil
	}
	if first.frees(value) {
		return lf.guessLock(first, nil)
	}
	for _, c := range lf.pr.classes {
		if c.start && !c.many {
			if lk := lf.guessLock(&lock{region: region, counter: counter}, c); lk != nil {
				return lk
			}
		}
	}
	return nil
}

func (lf *lockFinder) guessLock(lk *lock, holder *class) *lock {
	lk.at = map[*class][]holding{}
	used := false
	for _, c := range lf.pr.classes {
		entry := holding{kind: free}
		if c == holder {
			entry.kind = held
		}
		at, fine := lf.guessHolding(c, lk, entry)
		if !fine {
			return nil
		}
		lk.at[c] = at
		for l, h := range at {
			used = used || h.kind == held && (c != holder || ir.Loc(l) != c.f.Entry)
		}
	}
	if used && lf.isLock(lk) {
		return lk
	}
	return nil
}

// guessHolding guesses for each location of a thread whether it holds the lock. It returns false if
// two paths disagree.
func (lf *lockFinder) guessHolding(c *class, lk *lock, entry holding) ([]holding, bool) {
	at := make([]holding, len(c.f.Locs))
	at[c.f.Entry] = entry
	tried := triedEdges(c.f)
	for work := []ir.Loc{c.f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.acts {
			if a.from() != l {
				continue
			}
			h, possible := lf.afterHolding(a, lk, at[l], tried)
			if !possible {
				continue
			}
			switch to := a.to(); {
			case at[to].kind == 0:
				at[to] = h
				work = append(work, to)
			case at[to] != h:
				return nil, false
			}
		}
	}
	return at, true
}

// afterHolding guesses whether a thread holds the lock after an action, and whether the action is
// possible.
func (lf *lockFinder) afterHolding(a *action, lk *lock, h holding, tried map[ir.EdgeID]triedEdge) (holding, bool) {
	for _, e := range a.edges {
		op := &e.Op
		if t, ok := tried[e.ID]; ok && h.kind == free && lf.accesses(t.test, lk.region) {
			h = holding{heldUnless, t.result}
			continue
		}
		switch {
		case op.Kind == ir.Assume && h.depends():
			yes, no := lf.allows(op.Val, h)
			switch {
			case !yes && !no:
				return h, false
			case !no:
				h = holding{kind: held}
			case !yes:
				h = holding{kind: free}
			}
			continue
		case accesses(op) && lf.accesses(op, lk.region):
			if next := lk.after(op, h); next != h {
				h = next
				continue
			}
		}
		if h.depends() {
			op.Defs(func(r ir.Reg) {
				if r == h.reg {
					h = holding{kind: free}
				}
			})
		}
	}
	return h, true
}

// after guesses whether a thread holds the lock after an access to the variable.
func (lk *lock) after(op *ir.Op, h holding) holding {
	switch op.Kind {
	case ir.Lock:
		return holding{kind: held}
	case ir.Unlock:
		return holding{kind: free}
	case ir.TryLock:
		if op.Dst != ir.NoReg {
			return holding{heldUnless, op.Dst}
		}
	case ir.Store:
		v, ok := op.Val.IsConst()
		switch {
		case ok && lk.frees(v):
			return holding{kind: free}
		case !ok && lk.counter && h.kind == free && op.Val.Op == ir.RegRef:
			return holding{heldAbove, op.Val.Reg}
		}
		return holding{kind: held}
	case ir.RMW:
		if h.kind == free {
			return lk.taken(op, h)
		}
		if v, ok := op.Val.IsConst(); ok && op.RMW == ir.Xchg && lk.frees(v) { // such as the exchange of a drained store
			return holding{kind: free}
		}
	}
	return h
}

// taken guesses whether a thread that does not hold the lock holds it after a read-modify-write.
func (lk *lock) taken(op *ir.Op, h holding) holding {
	if v, ok := op.Val.IsConst(); ok && lk.frees(v) && op.RMW == ir.Xchg {
		return h
	}
	switch {
	case op.Cond != nil:
		return holding{kind: held} // it waits until the lock is free
	case op.RMW == ir.Cas && op.Dst2 != ir.NoReg:
		return holding{heldIf, op.Dst2}
	case op.RMW == ir.Cas && op.Dst != ir.NoReg && !lk.counter:
		return holding{heldUnless, op.Dst}
	case op.RMW == ir.Xchg && op.Dst != ir.NoReg && !lk.counter:
		return holding{heldUnless, op.Dst}
	case op.Dst != ir.NoReg && lk.counter:
		return holding{heldFrom, op.Dst}
	}
	return h
}

func (lf *lockFinder) accesses(op *ir.Op, region int) bool {
	x, ok := lf.pr.variable(op)
	return ok && x == region
}

// allows reports whether a condition can hold with the lock being held, and not.
func (lf *lockFinder) allows(cond *ir.Expr, h holding) (yes, no bool) {
	onlyR := true
	cond.Walk(func(e *ir.Expr) { onlyR = onlyR && (e.Op != ir.RegRef || e.Reg == h.reg) })
	if !onlyR {
		return true, true
	}
	regs := make([]string, h.reg+1)
	for i := range regs {
		regs[i] = "any_value"
	}
	lf.pr.declareConst("any_value", lf.pr.arith.sort())
	possible := func(extra string) bool {
		status, _, err := lf.pr.asker.check([]string{lf.pr.env(regs).truth(cond), extra}, nil, nil)
		if err != nil {
			lf.pr.err = err
		}
		return status != smt.Unsat
	}
	says := h.says(lf.pr.arith, "any_value")
	return possible(says), possible(not(says))
}

// isLock checks the guess: every step keeps the number of holders at 1 if the
// variable is not free, and at 0 if it is.
func (lf *lockFinder) isLock(lk *lock) bool {
	for _, c := range lf.pr.classes {
		if !c.start && lk.at[c][c.f.Entry].kind != free {
			return false
		}
		for _, a := range c.acts {
			if lk.at[c][a.from()].kind == 0 {
				continue // not reachable
			}
			m, regs := lf.pr.memory("m"), lf.pr.registers(c, "a")
			after := lf.pr.run(a, "a", run{regs: regs, mem: m})
			before, now := lk.holds(lf.pr.arith, c, a.from(), regs), lk.holds(lf.pr.arith, c, a.to(), after.regs)
			old, value := lk.free(lf.pr, m), lk.free(lf.pr, after.mem)
			given := append([]string{implies(before, not(old)), lk.below(lf.pr, m)}, after.guard...)
			if lf.pr.family.first(c, a.from()) { // such as where a mutex is initialised
				given = append(given, implies(not(before), old))
			}
			goal := and([]string{
				lk.below(lf.pr, after.mem),
				implies(and([]string{not(before), now}), and([]string{old, not(value)})),
				implies(and([]string{before, not(now)}), value),
				implies(and([]string{not(before), not(now)}), equal(old, value)),
				implies(and([]string{before, now}), not(value)),
			})
			lf.pr.obligations++
			if !lf.pr.ask(c, a.from(), nil, 0, given, goal).holds {
				return false
			}
		}
	}
	return true
}
