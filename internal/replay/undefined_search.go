package replay

import (
	"fencepost/internal/ir"
)

// The definition of the error, by brute force: in some state a thread is about to do something that is decided by an
// undefined value. The program is one that was not prepared for engines, without masks and without checks of them. Tests
// compare the answer with what engines say about the program with them.

// ReachesUndefined reports whether some execution of a flat program decides something by an undefined value. all says that every
// state was visited, so that an answer of false means no execution.
func ReachesUndefined(p *ir.Program, model Model, limits Limits) (found, all bool, err error) {
	m, err := newMachine(p, model)
	if err != nil {
		return false, false, err
	}
	start := initial(p)
	seen := map[string]bool{start.key(false): true}
	for todo := []*state{start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if m.decides(s) {
			return true, true, nil
		}
		next, err := m.successors(s, 0)
		if err != nil {
			return false, false, err
		}
		for _, tr := range next {
			if tr.fail != nil {
				continue
			}
			if k := tr.next.key(false); !seen[k] {
				if len(seen) >= limits.States {
					return false, false, nil
				}
				seen[k] = true
				todo = append(todo, tr.next)
			}
		}
	}
	return false, true, nil
}

// decides reports whether some thread is about to do something that an undefined value decides.
func (m *machine) decides(s *state) bool {
	for t := range s.threads {
		th := &s.threads[t]
		if s.over || th.phase != running {
			continue
		}
		f := m.p.ThreadFunc(ir.ThreadID(t))
		for _, i := range f.Out(th.loc) {
			c := m.turn(s, t, &f.Edges[i], 0)
			if c.decidedByUndefined(ir.ThreadID(t) == m.p.Main) {
				return true
			}
		}
	}
	return false
}

// decidedByUndefined reports whether an undefined value decides what the operation does. main says that the
// thread is the main thread, whose result counts.
func (c *turn) decidedByUndefined(main bool) bool {
	undef := func(list ...*ir.Expr) bool {
		for _, e := range list {
			if c.undefinedIn(e).mask != 0 {
				return true
			}
		}
		return false
	}
	op := c.op
	if undef(op.Addr) || undef(op.Call.Args...) {
		return true
	}
	switch op.Kind {
	case ir.Assume, ir.Assert:
		if op.Report.Class == ir.Uninitialised {
			return false // its arguments were asked about
		}
		return !c.truth(op.Val).isKnown()
	case ir.Load, ir.Store:
		return false
	case ir.Await:
		return undef(op.Cond) || c.readsUndefined(op.Type.Size(), true)
	case ir.RMW:
		if op.RMW == ir.Xchg {
			return undef(op.Cond) || op.Cond != nil && c.readsUndefined(op.Type.Size(), false)
		}
		return undef(op.Val, op.Cond) || c.readsUndefined(op.Type.Size(), false)
	case ir.Lock, ir.TryLock, ir.Unlock:
		return c.readsUndefined(mutexSize, false)
	case ir.Signal, ir.Broadcast, ir.Barrier, ir.CondWait:
		return undef(op.Val2) || c.readsUndefined(mutexSize, true)
	case ir.Return, ir.ThreadExit:
		return main && undef(op.Val)
	case ir.Assign:
		return false
	default:
		return undef(op.Val, op.Val2)
	}
}

// readsUndefined reports whether the bytes at the address of the operation are undefined. An operation that does not
// forward reads memory once the buffer of its thread is empty.
func (c *turn) readsUndefined(size int, forwards bool) bool {
	addr := uint64(c.eval(c.op.Addr))
	if !forwards && !c.drained() || c.m.check(c.s, c.th.buf, c.op.Obj, addr, size) != nil || c.m.checkHeader(c.s, c.op, addr) != nil || c.s.heldByOther(c.t) {
		return false
	}
	entries := make([]*entry, size)
	for k := range entries {
		entries[k] = c.th.newest(addr + uint64(k))
	}
	return c.undefinedRead(addr, size, entries).mask != 0
}
