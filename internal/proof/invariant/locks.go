package invariant

import (
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
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

// LockFinder finds the variables that are locks.
type LockFinder struct{ pr *encode.Problem }

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
func (h holding) says(a encode.Arithmetic, value smt.Term) smt.Term {
	switch h.kind {
	case held:
		return smt.True
	case heldIf:
		return a.NonZero(value)
	case heldUnless:
		return a.IsZero(value)
	case heldAbove:
		return a.Le(a.Num(0), value)
	case heldFrom:
		return a.Le(a.Num(1), value)
	default:
		return smt.False
	}
}

// Lock is a variable that one thread holds at a time.
type Lock struct {
	Region  int
	counter bool // free while 1 or more, rather than while 0
	at      map[*program.Class][]holding
}

// free returns the condition that no thread holds the lock.
func (lk *Lock) free(pr *encode.Problem, m encode.Memory) smt.Term {
	if lk.counter {
		return pr.Arith.Le(pr.Arith.Num(1), pr.Value(m, lk.Region))
	}
	return pr.Arith.IsZero(pr.Value(m, lk.Region))
}

// below returns the condition that a counter is at most 1.
func (lk *Lock) below(pr *encode.Problem, m encode.Memory) smt.Term {
	if lk.counter {
		return pr.Arith.Le(pr.Value(m, lk.Region), pr.Arith.Num(1))
	}
	return smt.True
}

// frees reports whether storing a constant releases the lock.
func (lk *Lock) frees(v int64) bool {
	if lk.counter {
		return v >= 1
	}
	return v == 0
}

// Holds returns the condition that a thread of class c at l holds the lock.
func (lk *Lock) Holds(a encode.Arithmetic, c *program.Class, l ir.Loc, regs []smt.Term) smt.Term {
	h := lk.at[c][l]
	if !h.depends() {
		return h.says(a, smt.Term{})
	}
	return h.says(a, regs[h.reg])
}

// findLocks adds the variables that are locks.
func (k *Knowledge) findLocks() {
	pr := k.pr
	for region := range pr.Regions {
		if !pr.IsSingle(region) || pr.Ghosts[region] != nil { // only the steps of the program are looked at
			continue
		}
		for _, counter := range []bool{false, true} {
			if lk := k.LockFinder.findLock(region, counter); lk != nil {
				k.Locks = append(k.Locks, lk)
				k.changed()
				break
			}
		}
	}
}

// findLock returns a variable as a lock, or nil if it is none. A lock that is held initially is
// held by a class with a single thread.
func (lf *LockFinder) findLock(region int, counter bool) *Lock {
	g := &lf.pr.Regions[region]
	first := &Lock{Region: region, counter: counter}
	value := g.Type.Wrap(lf.pr.First(uint64(g.Base), g.Size))
	if counter && value > 1 {
		return nil
	}
	if first.frees(value) {
		return lf.guessLock(first, nil)
	}
	for _, c := range lf.pr.Classes {
		if c.Start && !c.Many {
			if lk := lf.guessLock(&Lock{Region: region, counter: counter}, c); lk != nil {
				return lk
			}
		}
	}
	return nil
}

func (lf *LockFinder) guessLock(lk *Lock, holder *program.Class) *Lock {
	lk.at = map[*program.Class][]holding{}
	used := false
	for _, c := range lf.pr.Classes {
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
			used = used || h.kind == held && (c != holder || ir.Loc(l) != c.Code.Entry)
		}
	}
	if used && lf.IsLock(lk) {
		return lk
	}
	return nil
}

// guessHolding guesses for each location of a thread whether it holds the lock. It returns false if
// two paths disagree.
func (lf *LockFinder) guessHolding(c *program.Class, lk *Lock, entry holding) ([]holding, bool) {
	at := make([]holding, len(c.Code.Locs))
	at[c.Code.Entry] = entry
	tried := program.TriedEdges(c.Code)
	for work := []ir.Loc{c.Code.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.Actions {
			if a.From() != l {
				continue
			}
			h, possible := lf.afterHolding(a, lk, at[l], tried)
			if !possible {
				continue
			}
			switch to := a.To(); {
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
func (lf *LockFinder) afterHolding(a *program.Action, lk *Lock, h holding, tried map[ir.EdgeID]program.TriedEdge) (holding, bool) {
	for _, e := range a.Edges {
		op := &e.Op
		if t, ok := tried[e.ID]; ok && h.kind == free && lf.Accesses(t.Test, lk.Region) {
			h = holding{heldUnless, t.Result}
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
		case program.AccessesMemory(op) && lf.Accesses(op, lk.Region):
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
func (lk *Lock) after(op *ir.Op, h holding) holding {
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
func (lk *Lock) taken(op *ir.Op, h holding) holding {
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

// Accesses reports whether an operation accesses a variable.
func (lf *LockFinder) Accesses(op *ir.Op, region int) bool {
	x, ok := lf.pr.Variable(op)
	return ok && x == region
}

// allows reports whether a condition can hold with the lock being held, and not.
func (lf *LockFinder) allows(cond *ir.Expr, h holding) (yes, no bool) {
	onlyR := true
	cond.Walk(func(e *ir.Expr) { onlyR = onlyR && (e.Op != ir.RegRef || e.Reg == h.reg) })
	if !onlyR {
		return true, true
	}
	regs := make([]smt.Term, h.reg+1)
	anyValue := lf.pr.DeclareConst("any_value", lf.pr.Arith.Sort())
	for i := range regs {
		regs[i] = anyValue
	}
	possible := func(extra smt.Term) bool {
		status, _, err := lf.pr.Asker.Check([]smt.Term{lf.pr.Env(regs).Truth(cond), extra}, nil, nil)
		if err != nil {
			lf.pr.Err = err
		}
		return status != smt.Unsat
	}
	says := h.says(lf.pr.Arith, anyValue)
	return possible(says), possible(smt.Not(says))
}

// IsLock checks the guess: every step keeps the number of holders at 1 if the
// variable is not free, and at 0 if it is.
func (lf *LockFinder) IsLock(lk *Lock) bool {
	for _, c := range lf.pr.Classes {
		if !c.Start && lk.at[c][c.Code.Entry].kind != free {
			return false
		}
		for _, a := range c.Actions {
			if lk.at[c][a.From()].kind == 0 {
				continue // not reachable
			}
			m, regs := lf.pr.Memory("m"), lf.pr.Registers(c, "a")
			after := lf.pr.Run(a, "a", encode.Run{Regs: regs, Mem: m})
			before, now := lk.Holds(lf.pr.Arith, c, a.From(), regs), lk.Holds(lf.pr.Arith, c, a.To(), after.Regs)
			old, value := lk.free(lf.pr, m), lk.free(lf.pr, after.Mem)
			given := append([]smt.Term{smt.Implies(before, smt.Not(old)), lk.below(lf.pr, m)}, after.Guard...)
			if lf.pr.Lifetimes.First(c, a.From()) { // such as where a mutex is initialised
				given = append(given, smt.Implies(smt.Not(before), old))
			}
			goal := smt.And(lk.below(lf.pr, after.Mem),
				smt.Implies(smt.And(smt.Not(before), now), smt.And(old, smt.Not(value))),
				smt.Implies(smt.And(before, smt.Not(now)), value),
				smt.Implies(smt.And(smt.Not(before), smt.Not(now)), encode.Equal(old, value)),
				smt.Implies(smt.And(before, now), smt.Not(value)))
			lf.pr.Obligations++
			if !lf.pr.Ask(c, a.From(), nil, 0, given, goal).Holds {
				return false
			}
		}
	}
	return true
}
