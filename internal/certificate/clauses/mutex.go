package clauses

import (
	"fencepost/internal/ir"
	"fencepost/internal/replay"
)

// Mutexes. The word of a mutex is 0 if it is free. Otherwise the low half is the owner's index plus one, and the high
// half is the depth minus one; -1 is a mutex that was destroyed.

func (x *encoder) mutex(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op := &e.Op
	recursive, checks := op.Mutex.Kind == ir.RecursiveMutex, op.Mutex.Kind == ir.ErrorCheckMutex
	if recursive && x.model != replay.SC {
		refuse("recursive mutexes under models with store buffers")
	}
	a := x.newAccess(t, at, e, on)
	p := t.point(x, on, false)
	x.reads(a, p)
	w := a.got
	low := number(0)
	copy(low[:32], w[:32])
	free, gone := -x.nonzero(w), x.equal(w, number(ir.DestroyedMutex))
	mine := x.equal(low, number(int64(t.id)+1))
	inner := no // a lock of a recursive mutex again, or an unlock that does not give it back
	refused, errno := no, number(ir.EBUSY)
	var written word
	var takes Lit // the lock is taken, or given back
	unset := x.asks(a)
	usable := x.every(-unset, -gone)
	if op.Kind == ir.Unlock {
		if checks {
			refused, errno = x.every(-mine, -gone), number(ir.EPERM)
		}
		if recursive {
			inner = x.and(mine, x.nonzero(high(w)))
		}
		takes, written = x.every(usable, mine), x.chooseWord(inner, x.sub(w, number(1<<32)), number(0))
		fails := x.every(on, usable, -mine, -refused)
		x.wrong(fails, e.ID, "a check fails: "+ir.BadUnlock.String())
	} else {
		if recursive {
			inner = mine
		}
		switch {
		case op.Kind == ir.TryLock:
			refused = x.every(-free, -gone, -inner)
		case checks:
			refused, errno = x.and(mine, -gone), number(ir.EDEADLK)
		}
		takes = x.every(usable, x.or(free, inner))
		written = x.chooseWord(inner, x.add(w, number(1<<32), no), number(int64(t.id)+1))
	}
	// A call that is refused is a load. All others need an empty buffer.
	x.drained(x.and(on, -refused), p)
	x.wrong(x.every(on, gone, -unset, -refused), e.ID, "a check fails: "+ir.Destroyed.String())
	takes = x.and(takes, -refused)
	x.writes(a, p, x.and(on, takes), written, number(0))
	next := at.clone()
	if op.Undef.Dst != ir.NoReg {
		next.set(op.Undef.Dst, x.chooseWord(x.and(unset, -refused), a.gotMask, number(0)))
	}
	next.set(op.Dst, x.chooseWord(refused, errno, number(0)))
	return next, x.and(on, x.some(takes, refused, unset))
}

// high returns the high half of a word.
func high(w word) word {
	out := number(0)
	copy(out[:32], w[32:])
	return out
}
