package replay

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Loads, stores, read-modify-writes and fences [BCDM15 Fig. 2, Fig. 13].
//
// Differs from the paper: accesses have sizes. A load reads each of its bytes from the
// buffer or from memory, all in one step.

// load adds the steps of a load, await or abstract load.
func (c *turn) load() {
	addr, size := uint64(c.eval(c.op.Addr)), c.op.Type.Size()
	entries := make([]*entry, size) // per byte: the entry that forwards it, or nil for memory
	for k := range entries {
		entries[k] = c.th.newest(addr + uint64(k))
	}
	if slices.Contains(entries, nil) && c.s.heldByOther(c.t) && !c.m.alone(c.s, c.t, addr) {
		return // memory cannot be read during another thread's atomic section
	}
	if !c.valid(c.op.Obj, addr, size) {
		return
	}
	r := record{addr: addr, size: size, from: make([]int, size)}
	raw := c.s.read(addr, size)
	for k, e := range entries {
		if e != nil {
			raw = setByte(raw, k, e.at(addr+uint64(k)))
			r.from[k] = 1 + e.step
		}
	}
	r.value = c.op.Type.Wrap(int64(raw))
	u := c.undefinedRead(addr, size, entries)
	switch c.op.Kind {
	case ir.Load:
		c.loadDst(0, r, r.value, u)
	case ir.Await:
		if c.asks(u) || c.evalSeen(c.op.Cond, r.value) != 0 {
			c.loadDst(0, r, r.value, u)
		}
	case ir.AbstractLoad:
		for _, v := range c.choices(r.value) {
			c.loadDst(v, r, v, undefined{})
		}
	default:
		panic("BUG: not a load: " + c.op.Kind.String())
	}
}

func (c *turn) loadDst(choice int64, r record, v int64, u undefined) {
	c.step(verdict.StepLoad, choice, r, func(_ *state, th *thread) { c.setRead(th, v, u) })
}

// setRead sets the registers of an operation that has read a value.
func (c *turn) setRead(th *thread, v int64, u undefined) {
	th.set(c.op.Undef.Dst, int64(u.mask))
	th.read = u.from
	th.set(c.op.Dst, v)
	c.setOf(th, c.op.Dst, u)
}

// havoc adds a step for each value that the register can take.
func (c *turn) havoc() {
	for _, v := range c.choices(0) {
		c.execDst(v, v)
	}
}

func (c *turn) store() {
	addr, size := uint64(c.eval(c.op.Addr)), c.op.Type.Size()
	alone := c.m.alone(c.s, c.t, addr)
	if c.m.atOnce(c.t) && c.s.heldByOther(c.t) && !alone {
		return // memory cannot be written during another thread's atomic section
	}
	if !c.valid(c.op.Obj, addr, size) || !c.writable(addr, size) {
		return
	}
	value, u := c.written(c.op.Val, c.op.Type.Wrap(c.eval(c.op.Val)))
	direct := c.direct() || alone
	r := record{addr: addr, size: size, value: value, buffered: !direct}
	c.step(verdict.StepStore, 0, r, func(n *state, th *thread) {
		if direct {
			n.write(addr, size, value)
			n.writeUndefined(addr, size, u)
		} else {
			th.push(entry{kind: storeEntry, addr: addr, size: size, value: value, undefined: u, step: c.now})
		}
	})
}

func (c *turn) fence() {
	switch c.op.Fence {
	case ir.FullFence:
		if c.drained() {
			c.step(verdict.StepFence, 0, record{}, nil)
		}
	case ir.GlobalFence:
		for t := range c.s.threads {
			if len(c.s.threads[t].buf) > 0 {
				return
			}
		}
		c.step(verdict.StepFence, 0, record{}, nil)
	case ir.StoreStoreFence:
		c.step(verdict.StepFence, 0, record{}, func(_ *state, th *thread) {
			if c.m.model == PSO {
				th.mark()
			}
		})
	default:
		panic("BUG: fence of unknown kind")
	}
}

func (c *turn) rmw() {
	if !c.drained() {
		return
	}
	addr, size := uint64(c.eval(c.op.Addr)), c.op.Type.Size()
	if !c.valid(c.op.Obj, addr, size) || !c.writable(addr, size) {
		return
	}
	old := c.op.Type.Wrap(int64(c.s.read(addr, size)))
	read := c.undefinedRead(addr, size, nil)
	if c.op.Cond != nil && !c.asks(read) && c.evalSeen(c.op.Cond, old) == 0 {
		return
	}
	written, wrote := c.modify(old)
	u := undefined{}
	switch {
	case c.op.RMW == ir.Xchg:
		written, u = c.written(c.op.Val, written)
	case c.op.RMW == ir.Cas && wrote:
		written, u = c.written(c.op.Val2, written)
	}
	r := record{addr: addr, size: size, value: old, written: written, wrote: wrote}
	c.step(verdict.StepRMW, 0, r, func(n *state, th *thread) {
		if wrote {
			n.write(addr, size, written)
			n.writeUndefined(addr, size, u)
		}
		c.setRead(th, old, read)
		th.set(c.op.Dst2, int64(truth(wrote)))
	})
}

// modify returns the value that a read-modify-write writes, given the old one, and
// whether it writes at all.
func (c *turn) modify(old int64) (written int64, wrote bool) {
	t := c.op.Type
	val := c.eval(c.op.Val)
	switch c.op.RMW {
	case ir.Xchg:
		return t.Wrap(val), true
	case ir.FetchAdd:
		return t.Wrap(old + val), true
	case ir.FetchAnd:
		return t.Wrap(old & val), true
	case ir.FetchOr:
		return t.Wrap(old | val), true
	case ir.FetchXor:
		return t.Wrap(old ^ val), true
	case ir.Cas:
		if old != t.Wrap(val) {
			return 0, false
		}
		return t.Wrap(c.eval(c.op.Val2)), true
	default:
		panic("BUG: read-modify-write without a function")
	}
}
