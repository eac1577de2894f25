package mover

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Who holds the lock. A variable is a lock if it is 0 exactly while no thread
// holds it, threads take it one at a time, and only the holder makes it 0 again.
// Then two threads are never both at places where they hold it: knowledge about
// two threads at once, which location invariants alone cannot express.
//
// Where a thread holds a variable is guessed from the control-flow graph; the
// solver then checks for every step that the number of holders stays 1 if the
// variable is not 0, and 0 if it is.

// holding says when a thread at a location holds a lock.
type holding struct {
	kind holdKind
	reg  ir.Reg // heldIf, heldUnless
}

type holdKind uint8

const (
	_          holdKind = iota // not known yet
	free                       // it does not
	held                       // it does
	heldIf                     // it does if the register is not 0: the result of a cas
	heldUnless                 // it does if the register is 0: the result of an exchange
)

type lock struct {
	region int
	at     map[*class][]holding
}

// holds is the condition under which a thread of class c at l holds the lock.
func (lk *lock) holds(c *class, l ir.Loc, regs []string) string {
	switch h := lk.at[c][l]; h.kind {
	case held:
		return "true"
	case heldIf:
		return apply("distinct", regs[h.reg], "0")
	case heldUnless:
		return equal(regs[h.reg], "0")
	default:
		return "false"
	}
}

// findLocks adds the variables that are locks.
func (k *knowledge) findLocks() {
	pr := k.pr
	initial := pr.initial()
	for region := range initial {
		if !pr.scalar(region) || initial[region] != "0" {
			continue
		}
		lk := &lock{region: region, at: map[*class][]holding{}}
		ok, used := true, false
		for _, c := range pr.classes {
			at, fine := pr.guessHolding(c, region)
			ok = ok && fine
			lk.at[c] = at
			for _, h := range at {
				used = used || h.kind == held
			}
		}
		if ok && used && pr.isLock(lk) {
			k.locks = append(k.locks, lk)
			k.changed()
		}
	}
}

// guessHolding follows a thread from its entry. It fails where two ways disagree.
func (pr *prover) guessHolding(c *class, region int) ([]holding, bool) {
	at := make([]holding, len(c.f.Locs))
	at[c.f.Entry] = holding{kind: free}
	for work := []ir.Loc{c.f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.acts {
			if a.from() != l {
				continue
			}
			h, possible := pr.afterHolding(a, region, at[l])
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
func (pr *prover) afterHolding(a *action, region int, h holding) (holding, bool) {
	for _, e := range a.edges {
		op := &e.Op
		switch {
		case op.Kind == ir.Assume && (h.kind == heldIf || h.kind == heldUnless):
			zero, other := pr.allows(op.Val, h.reg)
			if !zero && !other {
				return h, false
			}
			if !zero || !other {
				isHeld := (h.kind == heldIf) == other
				h = holding{kind: free}
				if isHeld {
					h = holding{kind: held}
				}
			}
			continue
		case op.Kind == ir.Store && pr.touches(op, region):
			h = holding{kind: held}
			if v, ok := op.Val.IsConst(); ok && v == 0 {
				h = holding{kind: free}
			}
		case op.Kind == ir.RMW && pr.touches(op, region) && h.kind == free:
			h = taken(op, h)
			continue
		case op.Kind == ir.RMW && pr.touches(op, region): // such as the exchange of a drained store
			if v, ok := op.Val.IsConst(); ok && v == 0 && op.RMW == ir.Xchg {
				h = holding{kind: free}
			}
		}
		if h.kind == heldIf || h.kind == heldUnless {
			op.Defs(func(r ir.Reg) {
				if r == h.reg {
					h = holding{kind: free}
				}
			})
		}
	}
	return h, true
}

// taken is what a read-modify-write of a thread that holds nothing leads to.
func taken(op *ir.Op, h holding) holding {
	if v, ok := op.Val.IsConst(); ok && v == 0 && op.RMW == ir.Xchg {
		return h
	}
	switch {
	case op.Cond != nil:
		return holding{kind: held} // it waits until it can
	case op.RMW == ir.Cas && op.Dst2 != ir.NoReg:
		return holding{heldIf, op.Dst2}
	case op.RMW == ir.Xchg && op.Dst != ir.NoReg:
		return holding{heldUnless, op.Dst}
	}
	return h
}

func (pr *prover) touches(op *ir.Op, region int) bool {
	x, ok := pr.variable(op)
	return ok && x == region
}

// allows reports whether a condition can hold with a register being zero, and
// being something else.
func (pr *prover) allows(cond *ir.Expr, r ir.Reg) (zero, other bool) {
	onlyR := true
	cond.Walk(func(e *ir.Expr) { onlyR = onlyR && (e.Op != ir.RegRef || e.Reg == r) })
	if !onlyR {
		return true, true
	}
	regs := make([]string, r+1)
	for i := range regs {
		regs[i] = "any_value"
	}
	pr.declareConst("any_value", "Int")
	possible := func(extra string) bool {
		status, _, err := pr.solver.Check(nil, []string{env{prog: pr.prog, regs: regs}.truth(cond), extra}, nil)
		if err != nil {
			pr.err = err
		}
		return status != smt.Unsat
	}
	return possible("(= any_value 0)"), possible("(distinct any_value 0)")
}

// isLock checks the guess: every step keeps the number of holders at 1 if the
// variable is not 0, and at 0 if it is.
func (pr *prover) isLock(lk *lock) bool {
	for _, c := range pr.classes {
		if lk.at[c][c.f.Entry].kind != free {
			return false
		}
		for _, a := range c.acts {
			if lk.at[c][a.from()].kind == 0 {
				continue // no way leads there
			}
			m, regs := pr.memory("m"), pr.registers(c, "a")
			after := pr.run(a, "a", run{regs: regs, mem: m})
			before, now := lk.holds(c, a.from(), regs), lk.holds(c, a.to(), after.regs)
			old, value := equal(m[lk.region], "0"), equal(after.mem[lk.region], "0")
			given := append([]string{apply("=>", before, not(old))}, after.guard...)
			goal := and([]string{
				apply("=>", and([]string{not(before), now}), and([]string{old, not(value)})),
				apply("=>", and([]string{before, not(now)}), value),
				apply("=>", and([]string{not(before), not(now)}), equal(old, value)),
				apply("=>", and([]string{before, now}), not(value)),
			})
			pr.obligations++
			if !pr.ask(c, a.from(), nil, 0, given, goal).holds {
				return false
			}
		}
	}
	return true
}
