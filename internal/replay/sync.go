package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Condition variables, barriers, spawn and join.

const (
	condSize    = 8
	barrierSize = 8
)

// condWait adds the step that releases the mutex and begins to wait. The thread stays
// at its location. It wakes up and locks the mutex again in separate steps.
func (c *turn) condWait() {
	if !c.drained() {
		return
	}
	cond, mutex := uint64(c.eval(c.op.Addr)), uint64(c.eval(c.op.Val2))
	if !c.valid(c.op.Obj, cond, condSize) || !c.valid(ir.NoObject, mutex, mutexSize) {
		return
	}
	r := record{addr: cond, size: condSize, accesses: []verdict.Access{{Addr: cond, Size: condSize, Wrote: true}, {Addr: mutex, Size: mutexSize, Wrote: true}}}
	if owner(c.s.mutex(mutex)) != c.t {
		c.fail(r, &violation{ir.BadWait, fmt.Sprintf("the mutex at 0x%x is not held by the waiting thread", mutex)})
		return
	}
	c.stay(verdict.StepExec, 0, r, func(n *state, th *thread) {
		n.write(mutex, mutexSize, 0)
		n.writeUndefined(mutex, mutexSize, undefined{})
		th.phase, th.edge = waiting, c.index
	})
}

// wake adds a spurious wake-up: the thread wakes up without a signal.
func (c *turn) wake() {
	r := record{accesses: []verdict.Access{{Addr: uint64(c.eval(c.op.Addr)), Size: condSize, Wrote: true}}}
	c.stay(verdict.StepWake, 0, r, func(_ *state, th *thread) { th.phase = woken })
}

// relock adds the step of a woken thread that locks the mutex and so ends the wait.
func (c *turn) relock() {
	if c.s.heldByOther(c.t) || !c.drained() {
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
	r := record{addr: cond, size: condSize, accesses: []verdict.Access{{Addr: mutex, Size: mutexSize, Wrote: true}}}
	c.exec(0, r, func(n *state, th *thread) {
		n.write(mutex, mutexSize, mutexWord(c.t))
		n.writeUndefined(mutex, mutexSize, undefined{})
		th.phase, th.edge = running, 0
		th.set(c.op.Dst, 0)
	})
}

// waitersAt returns the threads in phase ph that wait at the condition variable or
// barrier with this address.
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

// signal adds the steps of Signal and Broadcast. They wake only threads that wait now.
func (c *turn) signal() {
	addr := uint64(c.eval(c.op.Addr))
	if !c.valid(c.op.Obj, addr, condSize) {
		return
	}
	waiters := c.m.waitersAt(c.s, waiting, addr)
	r := record{addr: addr, size: condSize, accesses: []verdict.Access{{Addr: addr, Size: condSize, Wrote: len(waiters) > 0}}}
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

// barrier adds the arrival of the thread. The last arrival releases all waiting threads.
func (c *turn) barrier() {
	if !c.drained() {
		return
	}
	addr := uint64(c.eval(c.op.Addr))
	if !c.valid(c.op.Obj, addr, barrierSize) {
		return
	}
	r := record{addr: addr, size: barrierSize, accesses: []verdict.Access{{Addr: addr, Size: barrierSize, Wrote: true}}}
	count := int64(c.s.read(addr, barrierSize))
	if count <= 0 {
		c.fail(r, &violation{ir.BadWait, fmt.Sprintf("barrier for %d threads", count)})
		return
	}
	others := c.m.waitersAt(c.s, atBarrier, addr)
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

// spawn adds the start of the first thread in the list that has not started. If all
// have, it adds nothing: the number of threads is a bound that ends this execution.
func (c *turn) spawn() {
	if !c.drained() {
		return
	}
	for _, child := range c.op.Call.Threads {
		if c.s.threads[child].phase != unstarted {
			continue
		}
		var args []int64
		for _, a := range c.op.Call.Args {
			args = append(args, c.eval(a))
		}
		c.exec(0, record{value: int64(child)}, func(n *state, th *thread) {
			th.set(c.op.Dst, int64(child))
			ch := &n.threads[child]
			ch.phase = running
			ch.unshare()
			copy(ch.regs[:c.p.ThreadFunc(child).Params], args)
		})
		return
	}
}

// join adds the join with a thread that has ended and whose stores have reached memory.
// Until then the thread that joins has no step.
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
	if c.m.ended(c.s, int(handle)) && len(target.buf) == 0 {
		c.exec(0, record{value: target.result}, func(n *state, th *thread) {
			th.set(c.op.Dst, target.result)
			c.setOf(th, c.op.Dst, target.unclear)
			n.threads[handle].phase = joined
		})
	}
}
