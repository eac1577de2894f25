package replay

import (
	"fmt"

	"fencepost/internal/ir"
)

// turn computes what one thread can do along one edge. The operands and the steps
// have the fields that evaluation and output need; the turn has the rest.
type turn struct {
	m *machine
	operands
	steps
	th    *thread // the thread in s; never changed
	index int32   // index of the edge in its function; set if the thread is running
	now   int     // index of the step in the witness
	err   error
}

func (m *machine) turn(s *state, t int, e *ir.Edge, now int) *turn {
	th := &s.threads[t]
	return &turn{
		m:        m,
		operands: operands{p: m.p, op: &e.Op, regs: th.regs},
		steps:    steps{s: s, t: t, edge: e},
		th:       th, now: now,
	}
}

// run adds the steps of a running thread along the edge.
func (c *turn) run() {
	switch c.op.Kind {
	case ir.Nop, ir.Assign:
		c.assign()
	case ir.Havoc:
		c.havoc()
	case ir.Assume:
		if c.eval(c.op.Val) != 0 {
			c.exec(0, record{}, nil)
		}
	case ir.Assert:
		c.err = c.definedCheck()
		if c.eval(c.op.Val) != 0 {
			c.exec(0, record{}, nil)
		} else {
			c.fail(record{}, &violation{c.op.Report.Class, c.op.Report.Msg})
		}
	case ir.Return, ir.ThreadExit:
		c.finish()
	case ir.Exit:
		c.exec(0, record{}, func(n *state, _ *thread) { n.over = true })
	case ir.Unsupported:
		c.fail(record{}, &violation{ir.NotSupported, c.op.Report.Msg})
	case ir.Bound:
	case ir.Load, ir.Await, ir.AbstractLoad:
		c.load()
	case ir.Store:
		c.store()
	case ir.Fence:
		c.fence()
	default:
		// None of the others can run while another thread is inside an atomic section.
		if !c.s.heldByOther(c.t) {
			c.runShared()
		}
	}
}

// runShared adds the steps of an operation that cannot run during an atomic section of
// another thread.
func (c *turn) runShared() {
	switch c.op.Kind {
	case ir.RMW:
		c.rmw()
	case ir.Lock, ir.TryLock:
		c.lock()
	case ir.Unlock:
		c.unlock()
	case ir.CondWait:
		c.condWait()
	case ir.Signal, ir.Broadcast:
		c.signal()
	case ir.Barrier:
		c.barrier()
	case ir.Spawn:
		c.spawn()
	case ir.Join:
		c.join()
	case ir.Alloc:
		c.alloc()
	case ir.Free:
		c.free()
	case ir.AtomicBegin:
		if (c.op.Loads || c.drained()) && c.s.holder < 0 {
			c.exec(0, record{}, func(n *state, _ *thread) { n.holder = c.t })
		}
	case ir.AtomicEnd:
		if (c.op.Loads || c.drained()) && c.s.holder == c.t {
			c.exec(0, record{}, func(n *state, _ *thread) { n.holder = -1 })
		}
	default:
		panic(fmt.Sprintf("BUG: %s in a flat program", c.op.Kind))
	}
}

// assign adds the step of an assignment, or of a Nop. The contents of an object may become undefined with it.
func (c *turn) assign() {
	var v int64
	if c.op.Kind == ir.Assign {
		v = c.eval(c.op.Val)
	}
	c.exec(0, record{value: v}, func(n *state, th *thread) {
		if c.op.Kind == ir.Assign {
			th.set(c.op.Dst, v)
			c.setOf(th, c.op.Dst, c.undefinedIn(c.op.Val))
		}
		if c.op.Block.Undef {
			o := &c.p.Objects[c.op.Obj]
			n.undefine(th, o.Addr, o.Size, c.begins(ir.NoReg, c.op.Obj), o.Masked)
		}
	})
}

// finish adds the step that records the result of a thread. The thread has ended
// after it, because the location it moves to has no outgoing edges.
func (c *turn) finish() {
	var v int64
	if c.op.Val != nil {
		v = c.eval(c.op.Val)
	}
	u := c.undefinedIn(c.op.Val)
	c.exec(0, record{value: v}, func(_ *state, th *thread) { th.result, th.unclear = v, u })
}

// drained reports whether all stores of this thread have reached memory.
func (c *turn) drained() bool { return len(c.th.buf) == 0 }

// direct reports whether stores of this thread go to memory at once. They always do
// under SC. Inside the thread's atomic section they do under every model, since no
// other thread can tell the difference.
func (c *turn) direct() bool { return c.m.atOnce(c.t) || c.s.holder == c.t }

// valid reports whether the operation may access the bytes. If not, it adds the step
// that fails.
func (c *turn) valid(obj ir.ObjectID, addr uint64, size int) bool {
	v := c.m.check(c.s, c.th.buf, obj, addr, size)
	if v == nil || c.op.Sync.Marks.Has(ir.Header) && v.class != ir.UseAfterFree {
		v = c.m.checkHeader(c.s, c.op, addr)
	}
	if v != nil {
		c.fail(record{addr: addr, size: size}, v)
	}
	return v == nil
}

// writable reports whether a store or read-modify-write may write the bytes. If they
// belong to a read-only object, it adds the step that fails.
func (c *turn) writable(addr uint64, size int) bool {
	o := c.p.FindObject(addr, size)
	if o == ir.NoObject || !c.p.Objects[o].ReadOnly {
		return true
	}
	c.fail(record{addr: addr, size: size}, &violation{ir.ReadOnly, fmt.Sprintf("%s is read-only", c.p.Objects[o].Name)})
	return false
}
