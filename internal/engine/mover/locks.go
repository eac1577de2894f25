package mover

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Who holds the lock. A variable is a lock if its value tells whether a thread
// holds it, threads take it one at a time, and only the holder frees it again: it is
// free while 0, as a flag or the word of a mutex is, or free while 1, as a counter is
// that is never more and that those who try count down. Then two threads are never both at places
// where they hold it: knowledge about two threads at once, which location invariants
// alone cannot express.
//
// Where a thread holds a variable is guessed from the control-flow graph; the
// solver then checks for every step that the number of holders stays 1 if the
// variable is not free, and 0 if it is.

// holding says when a thread at a location holds a lock.
type holding struct {
	kind holdKind
	reg  ir.Reg // of the kinds that depend on one
}

type holdKind uint8

const (
	_          holdKind = iota // not known yet
	free                       // it does not
	held                       // it does
	heldIf                     // it does if the register is not 0: the result of a cas
	heldUnless                 // it does if the register is 0: the result of an exchange
	heldAbove                  // it does if the register is 0 or more: what a counter was counted down to
	heldFrom                   // it does if the register is 1 or more: what a counter was before
)

// depends reports whether a register tells.
func (h holding) depends() bool { return h.kind >= heldIf }

// says is the condition on the value of the register.
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

// free is the condition under which nobody holds the lock.
func (lk *lock) free(pr *prover, m memory) string {
	if lk.counter {
		return pr.arith.le(pr.arith.num(1), pr.value(m, lk.region))
	}
	return pr.arith.isZero(pr.value(m, lk.region))
}

// below is what a counter never exceeds.
func (lk *lock) below(pr *prover, m memory) string {
	if lk.counter {
		return pr.arith.le(pr.value(m, lk.region), pr.arith.num(1))
	}
	return "true"
}

// frees reports whether a constant makes the lock free.
func (lk *lock) frees(v int64) bool {
	if lk.counter {
		return v >= 1
	}
	return v == 0
}

// holds is the condition under which a thread of class c at l holds the lock.
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
		if !pr.isSingle(region) {
			continue
		}
		for _, counter := range []bool{false, true} {
			if lk := pr.findLock(region, counter); lk != nil {
				k.locks = append(k.locks, lk)
				k.changed()
				break
			}
		}
	}
}

// findLock is a variable as a lock; nil if it is none. One that is held at first is
// held by a thread that there is one of.
func (pr *prover) findLock(region int, counter bool) *lock {
	g := &pr.regions[region]
	first := &lock{region: region, counter: counter}
	value := g.typ.Wrap(pr.first(uint64(g.base), g.size))
	if counter && value > 1 {
		return nil
	}
	if first.frees(value) {
		return pr.guessLock(first, nil)
	}
	for _, c := range pr.classes {
		if c.start && !c.many {
			if lk := pr.guessLock(&lock{region: region, counter: counter}, c); lk != nil {
				return lk
			}
		}
	}
	return nil
}

func (pr *prover) guessLock(lk *lock, holder *class) *lock {
	lk.at = map[*class][]holding{}
	used := false
	for _, c := range pr.classes {
		entry := holding{kind: free}
		if c == holder {
			entry.kind = held
		}
		at, fine := pr.guessHolding(c, lk, entry)
		if !fine {
			return nil
		}
		lk.at[c] = at
		for l, h := range at {
			used = used || h.kind == held && (c != holder || ir.Loc(l) != c.f.Entry)
		}
	}
	if used && pr.isLock(lk) {
		return lk
	}
	return nil
}

// guessHolding follows a thread from its entry. It fails where two ways disagree.
func (pr *prover) guessHolding(c *class, lk *lock, entry holding) ([]holding, bool) {
	at := make([]holding, len(c.f.Locs))
	at[c.f.Entry] = entry
	for work := []ir.Loc{c.f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.acts {
			if a.from() != l {
				continue
			}
			h, possible := pr.afterHolding(a, lk, at[l])
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

// afterHolding guesses what an action makes of holding the variable, and whether
// the action can happen at all.
func (pr *prover) afterHolding(a *action, lk *lock, h holding) (holding, bool) {
	for _, e := range a.edges {
		op := &e.Op
		switch {
		case op.Kind == ir.Assume && h.depends():
			yes, no := pr.allows(op.Val, h)
			switch {
			case !yes && !no:
				return h, false
			case !no:
				h = holding{kind: held}
			case !yes:
				h = holding{kind: free}
			}
			continue
		case touches(op) && pr.touches(op, lk.region):
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

// after guesses what an access to the variable makes of holding it.
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

// taken is what a read-modify-write of a thread that holds nothing leads to.
func (lk *lock) taken(op *ir.Op, h holding) holding {
	if v, ok := op.Val.IsConst(); ok && lk.frees(v) && op.RMW == ir.Xchg {
		return h
	}
	switch {
	case op.Cond != nil:
		return holding{kind: held} // it waits until it can
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

func (pr *prover) touches(op *ir.Op, region int) bool {
	x, ok := pr.variable(op)
	return ok && x == region
}

// allows reports whether a condition can hold with the lock being held, and not.
func (pr *prover) allows(cond *ir.Expr, h holding) (yes, no bool) {
	onlyR := true
	cond.Walk(func(e *ir.Expr) { onlyR = onlyR && (e.Op != ir.RegRef || e.Reg == h.reg) })
	if !onlyR {
		return true, true
	}
	regs := make([]string, h.reg+1)
	for i := range regs {
		regs[i] = "any_value"
	}
	pr.declareConst("any_value", pr.arith.sort())
	possible := func(extra string) bool {
		status, _, err := pr.solver.Check(nil, []string{pr.env(regs).truth(cond), extra}, nil)
		if err != nil {
			pr.err = err
		}
		return status != smt.Unsat
	}
	says := h.says(pr.arith, "any_value")
	return possible(says), possible(not(says))
}

// isLock checks the guess: every step keeps the number of holders at 1 if the
// variable is not free, and at 0 if it is.
func (pr *prover) isLock(lk *lock) bool {
	for _, c := range pr.classes {
		if !c.start && lk.at[c][c.f.Entry].kind != free {
			return false
		}
		for _, a := range c.acts {
			if lk.at[c][a.from()].kind == 0 {
				continue // no way leads there
			}
			m, regs := pr.memory("m"), pr.registers(c, "a")
			after := pr.run(a, "a", run{regs: regs, mem: m})
			before, now := lk.holds(pr.arith, c, a.from(), regs), lk.holds(pr.arith, c, a.to(), after.regs)
			old, value := lk.free(pr, m), lk.free(pr, after.mem)
			given := append([]string{implies(before, not(old)), lk.below(pr, m)}, after.guard...)
			goal := and([]string{
				lk.below(pr, after.mem),
				implies(and([]string{not(before), now}), and([]string{old, not(value)})),
				implies(and([]string{before, not(now)}), value),
				implies(and([]string{not(before), not(now)}), equal(old, value)),
				implies(and([]string{before, now}), not(value)),
			})
			pr.obligations++
			if !pr.ask(c, a.from(), nil, 0, given, goal).holds {
				return false
			}
		}
	}
	return true
}
