package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Condition variables, barriers, and threads that start and wait for each other.

const (
	condSize    = 8
	barrierSize = 8
)

// condWait lets go of the mutex and begins to wait. The thread stays at its
// location: waking up and locking again are steps of their own.
func (c *turn) condWait() {
	if !c.drained() {
		return
	}
	cond, mutex := uint64(c.eval(c.op.Addr)), uint64(c.eval(c.op.Val2))
	if !c.valid(c.op.Obj, cond, condSize) || !c.valid(ir.NoObject, mutex, mutexSize) {
		return
	}
	r := record{addr: cond, size: condSize, touches: []verdict.Access{{Addr: cond, Size: condSize, Wrote: true}, {Addr: mutex, Size: mutexSize, Wrote: true}}}
	if owner(c.s.mutex(mutex)) != c.t {
		c.fail(r, &violation{ir.BadWait, fmt.Sprintf("the mutex at 0x%x is not held by the waiting thread", mutex)})
		return
	}
	c.stay(verdict.StepExec, 0, r, func(n *state, th *thread) {
		n.write(mutex, mutexSize, 0)
		th.phase, th.edge = waiting, c.index
	})
}

// wake is a wake-up without a signal.
func (c *turn) wake() {
	r := record{touches: []verdict.Access{{Addr: uint64(c.eval(c.op.Addr)), Size: condSize, Wrote: true}}}
	c.stay(verdict.StepWake, 0, r, func(_ *state, th *thread) { th.phase = woken })
}

// relock ends a condition wait.
func (c *turn) relock() {
	if c.s.holder >= 0 && c.s.holder != c.t || !c.drained() {
		return
	}
	cond, mutex := uint64(c.eval(c.op.Addr)), uint64(c.eval(c.op.Val2))
	if !c.valid(ir.NoObject, mutex, mutexSize) {
		return
	}
	switch c.s.mutex(mutex) {
	case 0:
	case gone:
		c.destroyed(mutex)
		return
	default:
		return
	}
	r := record{addr: cond, size: condSize, touches: []verdict.Access{{Addr: mutex, Size: mutexSize, Wrote: true}}}
	c.exec(0, r, func(n *state, th *thread) {
		n.write(mutex, mutexSize, mutexWord(c.t))
		th.phase, th.edge = running, 0
		th.set(c.op.Dst, 0)
	})
}

// waitersAt lists the threads that wait at the object with this address, in the
// given phase.
func (m *machine) waitersAt(s *state, ph phase, addr uint64) []int {
	var found []int
	for i := range s.threads {
		th := &s.threads[i]
		if th.phase != ph {
			continue
		}
		e := &m.p.ThreadFunc(ir.ThreadID(i)).Edges[th.edge]
		if uint64(e.Op.Addr.Eval(ir.Env{Regs: th.regs, Prog: m.p})) == addr {
			found = append(found, i)
		}
	}
	return found
}

// signal lists what Signal and Broadcast can do: they reach those who wait now.
func (c *turn) signal() {
	addr := uint64(c.eval(c.op.Addr))
	if !c.valid(c.op.Obj, addr, condSize) {
		return
	}
	waiters := c.waitersAt(c.s, waiting, addr)
	r := record{addr: addr, size: condSize, touches: []verdict.Access{{Addr: addr, Size: condSize, Wrote: len(waiters) > 0}}}
	switch {
	case c.op.Kind == ir.Broadcast:
		r.wakes = waiters
		c.exec(0, r, func(n *state, _ *thread) {
			for _, w := range waiters {
				n.threads[w].phase = woken
			}
		})
	case len(waiters) == 0:
		c.exec(-1, r, nil)
	default:
		for _, w := range waiters {
			r.wakes = []int{w}
			c.exec(int64(w), r, func(n *state, _ *thread) { n.threads[w].phase = woken })
		}
	}
}

// barrier arrives. The last arrival lets everybody go on.
func (c *turn) barrier() {
	if !c.drained() {
		return
	}
	addr := uint64(c.eval(c.op.Addr))
	if !c.valid(c.op.Obj, addr, barrierSize) {
		return
	}
	r := record{addr: addr, size: barrierSize, touches: []verdict.Access{{Addr: addr, Size: barrierSize, Wrote: true}}}
	count := int64(c.s.read(addr, barrierSize))
	if count <= 0 {
		c.fail(r, &violation{ir.BadWait, fmt.Sprintf("barrier for %d threads", count)})
		return
	}
	others := c.waitersAt(c.s, atBarrier, addr)
	if int64(len(others))+1 < count {
		c.stay(verdict.StepExec, 0, r, func(_ *state, th *thread) { th.phase, th.edge = atBarrier, c.index })
		return
	}
	r.value, r.wakes = 1, others
	c.exec(0, r, func(n *state, th *thread) {
		th.set(c.op.Dst, 1)
		for _, o := range others {
			other := &n.threads[o]
			e := &c.p.ThreadFunc(ir.ThreadID(o)).Edges[other.edge]
			other.phase, other.edge, other.loc = running, 0, e.To
			other.set(e.Op.Dst, 0)
		}
	})
}

// spawn starts the first thread of its list that has not started. Without one
// the path is cut off.
func (c *turn) spawn() {
	if !c.drained() {
		return
	}
	for _, child := range c.op.Threads {
		if c.s.threads[child].phase != unstarted {
			continue
		}
		var args []int64
		for _, a := range c.op.Args {
			args = append(args, c.eval(a))
		}
		c.exec(0, record{value: int64(child)}, func(n *state, th *thread) {
			th.set(c.op.Dst, int64(child))
			ch := &n.threads[child]
			ch.phase = running
			copy(ch.regs[:c.p.ThreadFunc(child).Params], args)
		})
		return
	}
}

// join waits for a thread to end and for its stores to reach memory.
func (c *turn) join() {
	if !c.drained() {
		return
	}
	handle := c.eval(c.op.Val)
	if handle < 0 || handle >= int64(len(c.s.threads)) || c.s.threads[handle].phase == unstarted {
		c.fail(record{}, &violation{ir.BadJoin, fmt.Sprintf("%d is not a thread that was started", handle)})
		return
	}
	target := &c.s.threads[handle]
	if target.phase == joined {
		c.fail(record{}, &violation{ir.BadJoin, fmt.Sprintf("thread %d has been joined already", handle)})
		return
	}
	if c.ended(c.s, int(handle)) && len(target.buf) == 0 {
		c.exec(0, record{value: target.result}, func(n *state, th *thread) {
			th.set(c.op.Dst, target.result)
			n.threads[handle].phase = joined
		})
	}
}
