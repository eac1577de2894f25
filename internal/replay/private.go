//go:build !fencepost_small

package replay

import (
	"errors"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Blocks that one thread alone can reach. No register that may depend on the address of such a block is used for
// more than addresses of accesses: it is never written to memory, given to another thread, returned or compared. So no
// other thread has it.
//
// Nothing but accesses depends on the address, and each access stays in the block from whose address its own was computed, as
// in C: that is seen to at every step (origin, strays). So it makes no difference where the block lies. It is a new one, or
// one that has ended and to which no register points any more; it has the contents of a new one.

// keptBlocks returns the allocations whose blocks one thread alone can reach.
func keptBlocks(p *ir.Program) map[ir.EdgeID]bool {
	out := map[ir.EdgeID]bool{}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Kind == ir.Alloc && e.Op.Block.Stack && e.Op.Block.Undef && keeps(f, e.Op.Dst) {
				out[e.ID] = true
			}
		}
	}
	return out
}

// keeps reports whether a function lets no other thread have what a register holds.
func keeps(f *ir.Func, r ir.Reg) bool {
	if r == ir.NoReg {
		return true
	}
	depends := map[ir.Reg]bool{r: true}
	mentions := func(e *ir.Expr) bool {
		found := false
		if e != nil {
			e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && depends[e.Reg] })
		}
		return found
	}
	for grown := true; grown; {
		grown = false
		for i := range f.Edges {
			op := &f.Edges[i].Op
			switch op.Kind {
			case ir.Assign:
				if mentions(op.Val) && !depends[op.Dst] {
					depends[op.Dst], grown = true, true
				}
			default: // what it does with values may reach memory or another thread, or decide something
				all := append([]*ir.Expr{op.Val, op.Val2, op.Undef.Val, op.Cond}, op.Call.Args...)
				for _, e := range all {
					if mentions(e) {
						return false
					}
				}
			}
		}
	}
	return true
}

// keptIfNone returns the allocations of keptBlocks, or none if a block on the stack that other threads can reach may be
// one that was given back: then it makes a difference which blocks are.
func keptIfNone(p *ir.Program) map[ir.EdgeID]bool {
	kept, escapes, frees := keptBlocks(p), false, false
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			op := &f.Edges[i].Op
			escapes = escapes || op.Kind == ir.Alloc && op.Block.Stack && !kept[f.Edges[i].ID]
			frees = frees || op.Kind == ir.Free && op.Block.Stack
		}
	}
	if escapes && frees {
		return nil
	}
	return kept
}

// errStray says that an address is computed in a way that C does not define.
var errStray = errors.New("a thread computes the address of an automatic variable from something else, or the other way round")

// pointed returns the address of the block that one thread alone can reach, or that was such a block, at whose bytes, or right
// after them, a value of thread t points; 0: none.
func (s *state) pointed(t int, v int64) uint64 {
	if !wasNewTo(uint64(v), t) {
		return 0
	}
	for _, b := range s.blocks {
		if (b.kept || b.stack && b.freed) && uint64(v)-b.addr <= uint64(b.size) {
			return b.addr
		}
	}
	return 0
}

// origin returns the block at which the value of an expression points because a register does, plus a number that does
// not depend on addresses; 0: no register in it points at one. ok is false if the value depends on an address in another way.
func (c *turn) origin(e *ir.Expr) (block uint64, ok bool) {
	var of [3]uint64
	for i, x := range []*ir.Expr{e.X, e.Y, e.Z} {
		if x == nil {
			continue
		}
		if of[i], ok = c.origin(x); !ok {
			return 0, false
		}
	}
	switch {
	case e.Op == ir.RegRef:
		return c.s.pointed(c.t, c.regs[e.Reg]), true
	case of == [3]uint64{}:
		return 0, true
	case e.Op == ir.Add && (of[0] == 0 || of[1] == 0):
		return of[0] + of[1], true
	case e.Op == ir.Sub && of[1] == 0, e.Op == ir.Cast && e.Type.Bits == 64:
		return of[0], true
	case e.Op == ir.Ite && of[0] == 0 && c.eval(e.X) != 0:
		return of[1], true
	case e.Op == ir.Ite && of[0] == 0:
		return of[2], true
	}
	return 0, false
}

// strays reports whether a step makes an address of a block that one thread alone can reach from something else, or an
// address of something else from one of such a block.
func (c *turn) strays() bool {
	e := c.op.Addr
	if c.op.Kind == ir.Assign {
		e = c.op.Val
	}
	if e != nil {
		if block, ok := c.origin(e); !ok || block != c.s.pointed(c.t, c.eval(e)) {
			return true
		}
	}
	if c.op.Kind == ir.Assign {
		return false
	}
	for i := range c.out {
		n := c.out[i].next
		if n == nil {
			continue
		}
		th := &n.threads[c.t]
		for r := range th.regs { // read, or chosen; or there before the block was
			now, before := n.pointed(c.t, th.regs[r]), c.s.pointed(c.t, c.regs[r])
			if now != 0 && now != before && (c.op.Kind != ir.Alloc || ir.Reg(r) != c.op.Dst) {
				return true
			}
		}
	}
	return false
}

// runApart is run where there are blocks that one thread alone can reach: an allocation of one takes a block that has
// ended, and to which no register points, or else a new one.
func (c *turn) runApart() {
	c.run()
	if c.err == nil && c.strays() {
		c.err = errStray
	}
	if c.op.Kind != ir.Alloc || !c.m.kept[c.edge.ID] || len(c.out) == 0 {
		return
	}
	taken := c.out[0] // the new one
	for _, tr := range c.out[1:] {
		if c.m.recycles && wasNewTo(tr.addr, c.t) && !c.pointedAt(tr.addr) {
			taken = tr
			for k := range uint64(tr.size) {
				taken.next.setByte(tr.addr+k, 0)
			}
			break
		}
	}
	c.out = []transition{taken}
}

// pointedAt reports whether a register of the thread points at a block, but for that which an allocation sets.
func (c *turn) pointedAt(block uint64) bool {
	for r, v := range c.regs {
		if ir.Reg(r) != c.op.Dst && c.s.pointed(c.t, v) == block {
			return true
		}
	}
	return false
}

// aside returns what thread t does next, if this is the only thing that it can do, and concerns a block that it alone can
// reach; else nil.
func (m *machine) aside(s *state, t int) *turn {
	f := m.p.ThreadFunc(ir.ThreadID(t))
	out := f.Out(s.threads[t].loc)
	if len(m.kept) == 0 || len(out) != 1 {
		return nil
	}
	c := m.turn(s, t, &f.Edges[out[0]], 0)
	switch c.op.Kind {
	case ir.Alloc:
		if m.kept[c.edge.ID] {
			return c
		}
	case ir.Load, ir.Store, ir.Free:
		if m.alone(s, t, uint64(c.eval(c.op.Addr))) {
			return c
		}
	}
	return nil
}

// Alone returns the step of thread t that concerns a block which it alone can reach, if it is all that the thread can do:
// an access, the end of the block, or its allocation.
func (x *Stepper) Alone(s State, t int) (*Move, error) {
	c := x.m.aside(s.s, t)
	if c == nil {
		return nil, nil
	}
	c.runApart()
	if c.err != nil || len(c.out) == 0 {
		return nil, c.err
	}
	one := moves(c.out[:1])
	return &one[0], nil
}

var errGuess = errors.New("a thread guesses the address of an automatic variable of another one")

// foreign reports whether a step accesses a block that another thread alone can reach.
func (x *Stepper) foreign(s State, tr *transition) bool {
	if len(x.m.kept) == 0 || tr.addr < heapBase || wasNewTo(tr.addr, tr.thread) {
		return false
	}
	for _, b := range s.s.blocks {
		if b.kept && tr.addr-b.addr < uint64(max(b.size, 1)) {
			return tr.kind == verdict.StepLoad || tr.kind == verdict.StepStore || tr.kind == verdict.StepRMW
		}
	}
	return false
}

// Keeps reports whether the program has blocks that one thread alone can reach.
func (x *Stepper) Keeps() bool { return len(x.m.kept) > 0 }

// Approximates reports whether the steps may have more than the model allows: accesses to blocks that one thread alone can
// reach do not wait for the end of an atomic section.
func (x *Stepper) Approximates() bool {
	if len(x.m.kept) == 0 {
		return false
	}
	for _, f := range x.m.p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.AtomicBegin {
				return true
			}
		}
	}
	return false
}

// OneThreadBlocks returns the allocations whose blocks one thread alone can reach, none if it may show which blocks were
// given back.
func OneThreadBlocks(p *ir.Program) map[ir.EdgeID]bool { return keptIfNone(p) }
