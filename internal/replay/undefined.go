package replay

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Undefined bits (docs/models.md, "Undefined values"). Replay keeps track of them by itself: it knows from the program only what
// is undefined at first, and computes bit by bit which bits of values are undefined, also where the program has
// no code for it. A check that a value is defined must then come out as the program computes it.
//
// Undefined bits have the value 0 where the program keeps track of them, which is a matter of states, not of the rules.

// origin says where an undefined value came from. It never changes.
type origin struct {
	edge   ir.EdgeID // that made it undefined, or NoEdge: a variable of the thread's function
	reg    ir.Reg    // the variable, or NoReg
	object ir.ObjectID
	addr   uint64 // where it was read from memory last, 0: never
	size   int
	read   int // the step that read it, or -1
}

// undefined is bits without a value.
type undefined struct {
	mask uint64
	from *origin
}

// undefinedWord is an aligned word of memory with undefined bits.
type undefinedWord struct {
	addr uint64
	undefined
}

// usesUndefined reports whether something in a program is undefined.
func usesUndefined(p *ir.Program) bool {
	found := false
	for _, f := range p.Funcs {
		for r := range f.Regs {
			found = found || f.Regs[r].Undef != (ir.Type{})
		}
		for i := range f.Edges {
			op := &f.Edges[i].Op
			found = found || op.Block.Undef || op.Undef.Dst != ir.NoReg
			for _, e := range []*ir.Expr{op.Val, op.Val2} {
				e.Walk(func(x *ir.Expr) { found = found || x.Undef })
			}
		}
	}
	return found
}

// undefinedRegs returns the undefined registers of a function that begins, nil if it has none.
func undefinedRegs(f *ir.Func) []undefined {
	out := make([]undefined, len(f.Regs))
	for r := range f.Regs {
		if t := f.Regs[r].Undef; t != (ir.Type{}) {
			out[r] = undefined{uint64(t.Wrap(-1)), &origin{edge: ir.NoEdge, reg: ir.Reg(r), object: ir.NoObject, read: -1}}
		}
	}
	return out
}

func (s *state) findUndefined(addr uint64) (int, bool) {
	return slices.BinarySearchFunc(s.undefined, addr, func(w undefinedWord, a uint64) int { return cmp.Compare(w.addr, a) })
}

// undefinedAt returns the undefined bits of a byte.
func (s *state) undefinedAt(addr uint64) (byte, *origin) {
	if i, ok := s.findUndefined(addr &^ 7); ok {
		return byte(s.undefined[i].mask >> (8 * (addr & 7))), s.undefined[i].from
	}
	return 0, nil
}

// setUndefined sets the undefined bits of a byte.
func (s *state) setUndefined(addr uint64, b byte, from *origin) {
	i, ok := s.findUndefined(addr &^ 7)
	if !ok {
		if b == 0 {
			return
		}
		s.undefined = slices.Insert(s.undefined, i, undefinedWord{addr: addr &^ 7})
	}
	w := &s.undefined[i]
	shift := 8 * (addr & 7)
	w.mask = w.mask&^(0xff<<shift) | uint64(b)<<shift
	if b != 0 {
		w.from = from
	}
	if w.mask == 0 {
		s.undefined = slices.Delete(s.undefined, i, i+1)
	}
}

// writeUndefined sets the undefined bits of bytes that were just written.
func (s *state) writeUndefined(addr uint64, size int, u undefined) {
	for k := range size {
		s.setUndefined(addr+uint64(k), byte(u.mask>>(8*k)), u.from)
	}
}

// undefine makes bytes of memory undefined, and those of stores of the thread to them that still wait. zero says that
// their values become 0.
func (n *state) undefine(th *thread, addr uint64, size int64, from *origin, zero bool) {
	for k := range uint64(size) {
		n.setUndefined(addr+k, 0xff, from)
		if zero {
			n.setByte(addr+k, 0)
		}
	}
	for i := range th.buf {
		e := &th.buf[i]
		if e.kind != storeEntry {
			continue
		}
		var fresh uint64
		for k := range e.size {
			if inside(e.addr+uint64(k), 1, addr, size) {
				fresh |= 0xff << (8 * k)
				e.undefined.from = from
			}
		}
		e.undefined.mask |= fresh
		if zero {
			e.value = int64(uint64(e.value) &^ fresh)
		}
	}
}

// begins returns the origin of what an edge makes undefined.
func (c *turn) begins(reg ir.Reg, obj ir.ObjectID) *origin {
	return &origin{edge: c.edge.ID, reg: reg, object: obj, read: -1}
}

// setOf assigns an expression's undefined bits to a register that was just set.
func (c *turn) setOf(th *thread, r ir.Reg, u undefined) {
	if r != ir.NoReg {
		th.setUndefined(r, u)
	}
}

// undefinedRead returns the undefined bits of a load, extended as its value is.
func (c *turn) undefinedRead(addr uint64, size int, entries []*entry) undefined {
	var u undefined
	for k := range size {
		at := addr + uint64(k)
		b, from := c.s.undefinedAt(at)
		if entries != nil && entries[k] != nil {
			e := entries[k]
			b, from = byte(e.undefined.mask>>(8*(at-e.addr))), e.undefined.from
		}
		u.mask |= uint64(b) << (8 * k)
		if b != 0 && from != nil {
			next := *from
			next.addr, next.size, next.read = addr, size, c.now
			u.from = &next
		}
	}
	u.mask = uint64(c.accessType().Wrap(int64(u.mask)))
	return u
}

// accessType returns the type of the bytes that an operation reads: those of a mutex have none of their own.
func (c *turn) accessType() ir.Type {
	if c.op.Accesses() {
		return c.op.Type
	}
	return ir.U64
}

// asks reports whether the operation goes on although its condition does not hold, because it has read an undefined
// value and a check follows.
func (c *turn) asks(u undefined) bool { return c.op.Undef.Dst != ir.NoReg && u.mask != 0 }

// written returns the value that an operation writes, and its undefined bits.
func (c *turn) written(e *ir.Expr, value int64) (int64, undefined) {
	u := c.undefinedIn(e)
	u.mask = cut(u.mask, c.op.Type.Size())
	if c.op.Undef.Val != nil {
		value = c.op.Type.Wrap(int64(uint64(value) &^ u.mask))
	}
	return value, u
}

// definedCheck returns an error if a check of definedness does not come out as the rules say.
func (c *turn) definedCheck() error {
	if c.op.Report.Class != ir.Uninitialised || len(c.op.Call.Args) == 0 {
		return nil
	}
	var all uint64
	for _, e := range c.op.Call.Args {
		all |= c.undefinedIn(e).mask
	}
	if holds := c.eval(c.op.Val) != 0; holds != (all == 0) {
		return fmt.Errorf("edge %d: the check that a value is defined gives %t, computed undefined bits %#x", c.edge.ID, holds, all)
	}
	return nil
}

// undefinedIn returns the undefined bits of an expression of the thread.
func (c *turn) undefinedIn(e *ir.Expr) undefined {
	if e == nil || c.th.undefined == nil {
		return undefined{}
	}
	var from *origin
	e.Walk(func(x *ir.Expr) {
		switch {
		case x.Undef:
			from = c.begins(c.op.Dst, c.op.Obj)
		case x.Op == ir.RegRef && c.th.undefined[x.Reg].mask != 0:
			from = c.th.undefined[x.Reg].from
		}
	})
	return undefined{c.trits(e).unknown(), from}
}

// maskOf returns the undefined bits of a register.
func (th *thread) maskOf(r ir.Reg) uint64 {
	if th.undefined == nil {
		return 0
	}
	return th.undefined[r].mask
}
