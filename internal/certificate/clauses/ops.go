package clauses

import (
	"math/bits"

	"fencepost/internal/ir"
	"fencepost/internal/replay"
)

// What operations do (docs/models.md). Each function returns the thread after the operation, nil if it does not go on
// from there, and whether it gets there.

// operation follows an edge. on says that the thread is there and takes no other edge.
func (x *encoder) operation(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op := &e.Op
	switch op.Kind {
	case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Unsupported, ir.Bound:
		return x.local(at, e, on)
	case ir.Load, ir.Store, ir.Free:
		if m, offset := x.privateAt(at, op); m != nil {
			return x.accessPrivate(at, e, on, m, offset)
		}
	case ir.Alloc:
		if next := x.allocPrivate(t, at, e, on); next != nil {
			return next, on
		}
	}
	t.sectioned = t.inside[e.From]
	if !t.sectioned { // a thread can stop where others notice, but not inside a section
		on = x.and(on, x.fresh())
	} else if waits(op) {
		refuse("operations that wait inside an atomic section")
	}
	switch op.Kind {
	case ir.Load, ir.Await:
		return x.load(t, at, e, on)
	case ir.Store:
		return x.store(t, at, e, on)
	case ir.RMW:
		return x.rmw(t, at, e, on)
	case ir.Fence:
		return x.fence(t, at, e, on)
	case ir.Lock, ir.TryLock, ir.Unlock:
		return x.mutex(t, at, e, on)
	case ir.Alloc:
		return x.alloc(t, at, e, on)
	case ir.Free:
		return x.free(t, at, e, on)
	case ir.AtomicBegin, ir.AtomicEnd:
		return x.section(t, at, e, on)
	case ir.Spawn:
		return x.spawn(t, at, e, on)
	case ir.Join:
		return x.joinThread(t, at, e, on)
	}
	refuse("the operation " + op.Kind.String())
	return nil, no
}

// waits reports whether an operation can wait for another thread.
func waits(op *ir.Op) bool {
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Join, ir.Await:
		return true
	case ir.RMW:
		return op.Cond != nil
	}
	return false
}

func (x *encoder) local(at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op, in := &e.Op, x.values(at)
	if op.Block.Undef && x.masks {
		refuse("variables that become undefined again")
	}
	next := at.clone()
	switch op.Kind {
	case ir.Assign:
		next.set(op.Dst, x.eval(op.Val, in))
		next.comesFrom(op.Dst, at.origin(op.Val))
	case ir.Havoc:
		return x.havoc(next, op, on)
	case ir.Assume:
		on = x.and(on, x.nonzero(x.eval(op.Val, in)))
	case ir.Assert:
		holds := x.nonzero(x.eval(op.Val, in))
		x.wrong(x.and(on, -holds), e.ID, "a check fails: "+op.Report.Class.String())
		on = x.and(on, holds)
	case ir.Return, ir.ThreadExit:
		next.result = number(0)
		if op.Val != nil {
			next.result = x.eval(op.Val, in)
		}
	case ir.Exit:
		x.exits = append(x.exits, on)
		return nil, on
	case ir.Unsupported:
		x.beyond(on, e.ID, op.Report.Msg)
		return nil, on
	case ir.Bound:
		x.cuts = append(x.cuts, Bad{On: on, What: op.Report.Msg, Edge: e.ID, Bound: true})
		return nil, on
	}
	return next, on
}

func (s *path) set(r ir.Reg, w word) {
	if r != ir.NoReg {
		s.regs[r], s.from[r] = w, 0
	}
}

// havoc picks any value that the condition allows.
func (x *encoder) havoc(next *path, op *ir.Op, on Lit) (*path, Lit) {
	v := x.freshWord(64)
	if op.Range.Bounded {
		lo, hi := op.Range.Lo, op.Range.Hi
		if n := max(bits.Len64(uint64(lo^lo>>63)), bits.Len64(uint64(hi^hi>>63))) + 1; n < 64 {
			for i := n; i < 64; i++ {
				v[i] = v[n-1]
			}
		}
		on = x.every(on, -x.less(true, v, number(lo)), -x.less(true, number(hi), v))
	}
	next.set(op.Dst, v)
	if op.Cond != nil {
		on = x.and(on, x.nonzero(x.eval(op.Cond, x.values(next))))
	}
	return next, on
}

func (x *encoder) load(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op := &e.Op
	a := x.newAccess(t, at, e, on)
	x.reads(a, t.point(x, on, false))
	next, seen := at.clone(), wrap(op.Type, a.got)
	if op.Kind == ir.Await {
		holds := x.nonzero(x.eval(op.Cond, values{p: x.p, regs: at.regs, seen: seen}))
		on = x.and(on, x.or(holds, x.asks(a)))
	}
	x.setRead(next, op, a, seen)
	return next, on
}

// asks is true if the operation goes on whatever its condition says: it has read undefined bits, and a check follows.
func (x *encoder) asks(a *access) Lit {
	if a.op.Undef.Dst == ir.NoReg {
		return no
	}
	return x.nonzero(a.gotMask)
}

func (x *encoder) setRead(next *path, op *ir.Op, a *access, seen word) {
	if op.Undef.Dst != ir.NoReg {
		next.set(op.Undef.Dst, wrap(op.Type, a.gotMask))
	}
	next.set(op.Dst, seen)
}

// written returns what an operation stores, and the undefined bits of it.
func (x *encoder) written(at *path, op *ir.Op, v word) (value, mask word) {
	mask = number(0)
	if op.Undef.Val != nil {
		mask = x.eval(op.Undef.Val, x.values(at))
		v = x.bitwise(v, not(mask), x.and)
	}
	return v, mask
}

func (x *encoder) store(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	a := x.newAccess(t, at, e, on)
	value, mask := x.written(at, &e.Op, x.eval(e.Op.Val, x.values(at)))
	waits := x.model != replay.SC && !t.inside[e.From] // inside a section stores reach memory at once
	x.writes(a, t.point(x, on, waits), on, value, mask)
	return at.clone(), on
}

func (x *encoder) rmw(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	op := &e.Op
	a := x.newAccess(t, at, e, on)
	p := t.point(x, on, false)
	x.drained(on, p)
	x.reads(a, p)
	next, old, in := at.clone(), wrap(op.Type, a.got), x.values(at)
	in.seen = old
	if op.Cond != nil {
		on = x.and(on, x.or(x.nonzero(x.eval(op.Cond, in)), x.asks(a)))
	}
	val, wrote := x.eval(op.Val, in), yes
	mask := number(0)
	switch op.RMW {
	case ir.Xchg:
		val, mask = x.written(at, op, val)
	case ir.FetchAdd:
		val = x.add(old, val, no)
	case ir.FetchAnd:
		val = x.bitwise(old, val, x.and)
	case ir.FetchOr:
		val = x.bitwise(old, val, x.or)
	case ir.FetchXor:
		val = x.bitwise(old, val, x.xor)
	case ir.Cas:
		wrote = x.equal(old, wrap(op.Type, val))
		val, mask = x.written(at, op, x.eval(op.Val2, in))
	default:
		refuse("a read-modify-write of this kind")
	}
	x.writes(a, p, x.and(on, wrote), val, mask)
	x.setRead(next, op, a, old)
	next.set(op.Dst2, truth(wrote))
	return next, on
}

func (x *encoder) fence(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	switch {
	case x.model == replay.SC:
	case e.Op.Fence == ir.FullFence:
		x.drained(on, t.point(x, on, false))
	case e.Op.Fence == ir.StoreStoreFence:
		if x.model == replay.PSO {
			x.between = append(x.between, barrier{t.id, t.next(), on})
		}
	default:
		refuse("fences of all threads")
	}
	return at.clone(), on
}

// section begins or ends an atomic section.
func (x *encoder) section(t *thread, at *path, e *ir.Edge, on Lit) (*path, Lit) {
	p := t.point(x, on, false)
	if !e.Op.Loads {
		x.drained(on, p)
	}
	if e.Op.Kind == ir.AtomicBegin {
		x.sections = append(x.sections, p)
	}
	return at.clone(), on
}
