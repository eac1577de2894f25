package elf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// The stack of a function. The idea: in compiled code the stack pointer is at every instruction the one at
// the entry plus a constant, so that most accesses to the stack have known offsets. If no other use is made
// of addresses in the stack, the words of the stack become registers: spilled values, saved registers, and
// at -O0 the variables. Accesses of different sizes to the same bytes cut the words into pieces, each of which is a
// register. If an address is used otherwise, the frame is a block that lives until the function returns.

// frame describes the stack of a function.
type frame struct {
	before  map[*inst]offsets
	escapes bool
	params  bool  // an address of a parameter is used for more than an access at a known offset
	indexed bool  // an access has an address that is computed of one in the stack
	red     bool  // bytes below the stack pointer are used
	bottom  int64 // the lowest offset of the stack pointer
	low     int64 // the lowest offset that is used
	high    int64 // the end of the parameters on the stack
	slots   map[slot]bool
	pieces  []slot // of the accesses, in the order of their offsets
	align   int64  // to which the stack pointer is aligned; 0: not, or to 16 bytes
}

// slot is an access to the stack: offset and size in bytes.
type slot struct{ off, size int64 }

// offsets has the registers that hold an address in the stack, relative to the stack pointer at the entry. They are few.
type offsets []offset

type offset struct {
	reg ir.Reg
	off int64
}

func (o offsets) clone() offsets { return slices.Clone(o) }

// of returns the offset that a register holds.
func (o offsets) of(r ir.Reg) (int64, bool) {
	for i := range o {
		if o[i].reg == r {
			return o[i].off, true
		}
	}
	return 0, false
}

func (o *offsets) set(r ir.Reg, off int64) {
	for i := range *o {
		if (*o)[i].reg == r {
			(*o)[i].off = off
			return
		}
	}
	*o = append(*o, offset{r, off})
}

// dropIf forgets registers, and reports whether there were any.
func (o *offsets) dropIf(f func(offset) bool) bool {
	n := len(*o)
	*o = slices.DeleteFunc(*o, f)
	return len(*o) < n
}

// maxAlign is the largest alignment of the stack pointer.
const maxAlign = 4096

// eval returns the offset that an expression stands for.
func (o offsets) eval(e *ir.Expr) (int64, bool) {
	switch {
	case e == nil:
		return 0, false
	case e.Op == ir.RegRef:
		return o.of(e.Reg)
	case (e.Op == ir.Add || e.Op == ir.Sub) && e.Type.Bits == 64:
		x, ok := o.eval(e.X)
		c, number := e.Y.IsConst()
		if e.Op == ir.Sub {
			c = -c
		}
		return x + c, ok && number
	case e.Op == ir.And && e.Type.Bits == 64: // aligning; the entry is taken to be 8 before a multiple of maxAlign
		x, ok := o.eval(e.X)
		c, number := e.Y.IsConst()
		if !ok || !number || c >= 0 || c < -maxAlign {
			return 0, false
		}
		return (x+maxAlign-8)&c - (maxAlign - 8), true
	}
	return 0, false
}

// base returns the offset of the address in the stack that an expression is relative to, with the constants that are added.
func (o offsets) base(e *ir.Expr) int64 {
	if v, ok := o.eval(e); ok {
		return v
	}
	if e.Op != ir.Add && e.Op != ir.Sub {
		v := int64(0)
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.RegRef {
				if off, ok := o.of(e.Reg); ok {
					v = off
				}
			}
		})
		return v
	}
	v := o.base(e.X)
	switch c, number := e.Y.IsConst(); {
	case number && e.Op == ir.Sub:
		return v - c
	case number:
		return v + c
	case o.mentions(e.Y) && !o.mentions(e.X):
		c, _ := e.X.IsConst()
		return o.base(e.Y) + c
	}
	return v
}

// mentions reports whether an expression has a register with an address in the stack.
func (o offsets) mentions(e *ir.Expr) bool {
	found := false
	e.Walk(func(e *ir.Expr) {
		if e.Op == ir.RegRef {
			_, ok := o.of(e.Reg)
			found = found || ok
		}
	})
	return found
}

// step applies an operation.
func (o *offsets) step(op *ir.Op) {
	if op.Kind == ir.Assign {
		if v, ok := o.eval(op.Val); ok {
			o.set(op.Dst, v)
			return
		}
	}
	op.Defs(func(r ir.Reg) { o.dropIf(func(x offset) bool { return x.reg == r }) })
}

// after returns the offsets after an instruction.
func (in *inst) after(o offsets) offsets {
	o = o.clone()
	for i := range in.Ops {
		o.step(&in.Ops[i])
	}
	o.dropIf(func(x offset) bool {
		return x.reg >= lift.FirstTemp || in.isCall() && in.overwrites().has(x.reg)
	})
	return o
}

// takeApart finds the offsets of the stack pointer, and of other registers that hold addresses in the stack.
func (f *function) takeApart(p *program) {
	fr := &f.frame
	fr.before, fr.slots = map[*inst]offsets{}, map[slot]bool{}
	first := f.insts[f.sym.Addr()]
	fr.before[first] = offsets{{lift.RSP, 0}}
	for todo := []*inst{first}; len(todo) > 0; {
		in := todo[0]
		todo = todo[1:]
		if in.refused != "" {
			continue
		}
		out := in.after(fr.before[in])
		for _, n := range in.next {
			if fr.meet(n, out) {
				todo = append(todo, n)
			}
		}
		if n := in.pad; n != nil {
			out.dropIf(func(x offset) bool { return volatileRegs.has(x.reg) })
			if sp, ok := out.of(lift.RSP); ok {
				out.set(lift.RSP, sp+p.pushed(in))
			}
			if fr.meet(n, out) {
				todo = append(todo, n)
			}
		}
	}
}

// meet takes another way to an instruction into account, and reports whether less is known there now.
func (fr *frame) meet(n *inst, out offsets) bool {
	have, ok := fr.before[n]
	if !ok {
		fr.before[n] = out.clone()
		return true
	}
	read := n.liveBefore | n.maybeBefore
	for _, x := range out {
		if w, ok := have.of(x.reg); (!ok || w != x.off) && read.has(x.reg) {
			fr.escapes = true // an address that depends on the way here
		}
	}
	changed := have.dropIf(func(x offset) bool {
		w, ok := out.of(x.reg)
		differs := !ok || w != x.off
		fr.escapes = fr.escapes || differs && read.has(x.reg)
		return differs
	})
	fr.before[n] = have
	return changed
}

// inspectAll finds the uses of the stack in a function.
func (f *function) inspectAll(p *program) {
	fr := &f.frame
	leaf := true
	for _, in := range f.order {
		if o, ok := fr.before[in]; ok && in.refused == "" {
			f.inspect(p, in, o.clone())
			leaf = leaf && (!in.isCall() || in.tail)
		}
	}
	for _, s := range f.passed {
		fr.high = max(fr.high, s.off+s.size)
		fr.slots[s] = true
	}
	fr.pieces = cut(slices.Collect(maps.Keys(fr.slots)))
	if leaf || fr.red { // addresses that are not known may be anywhere in the red zone
		fr.low = min(fr.low, fr.bottom-redZone)
	}
	fr.low = (fr.low-8-15)&^15 + 8 // the block is aligned, and the entry is 8 past a multiple of 16
	if fr.align > 0 {
		fr.low = (fr.low-8)&^(fr.align-1) + 8 // as eval takes the entry to be
	}
}

// redZone is how many bytes below the stack pointer a function may use.
const redZone = 128

// inspect finds the uses of the stack in an instruction.
func (f *function) inspect(p *program, in *inst, o offsets) {
	fr := &f.frame
	refuse := func(format string, args ...any) { in.refused, in.code = fmt.Sprintf(format, args...), codeFlow }
	sp, ok := o.of(lift.RSP)
	if !ok {
		refuse("the stack pointer is not known at %s+0x%x: variables of variable size are not supported", f.sym.Name, in.addr-f.sym.Addr())
		return
	}
	if after, ok := in.after(o).of(lift.RSP); ok {
		sp = min(sp, after)
	}
	fr.low, fr.bottom = min(fr.low, sp), min(fr.bottom, sp)
	for i := range in.Ops {
		op := &in.Ops[i]
		if op.Kind == ir.Assign && op.Val.Op == ir.And {
			c, number := op.Val.Y.IsConst()
			if number && c < -16 && c >= -maxAlign && o.mentions(op.Val) {
				fr.align = max(fr.align, -c)
			}
		}
		if _, ok := o.eval(op.Addr); ok && changesNothing(op, in.Ops[i+1:]) {
			*op = ir.NewOp(ir.Fence)
			op.Fence = ir.FullFence
		}
		if op.Accesses() {
			if off, ok := o.eval(op.Addr); ok {
				size := int64(op.Type.Size())
				if off+size > 0 && off < 8 {
					refuse("%s: the function accesses its return address, which is not supported", in.Text)
					return
				}
				fr.slots[slot{off, size}] = true
				fr.low, fr.red = min(fr.low, off), fr.red || off < sp
			} else if o.mentions(op.Addr) {
				fr.escapes, fr.indexed = true, true
				fr.use(o.base(op.Addr), sp)
			}
			fr.escapes = fr.escapes || o.mentions(op.Val) || o.mentions(op.Val2)
		} else if op.Kind == ir.Assign {
			switch v, ok := o.eval(op.Val); {
			case ok && op.Dst != lift.RSP:
				fr.use(v, sp)
			case !ok && o.mentions(op.Val):
				fr.escapes = true
				fr.use(o.base(op.Val), sp)
			}
		} else if o.mentions(op.Val) {
			fr.escapes = true
		}
		o.step(op)
	}
	f.inspectEnd(p, in, o, refuse)
}

// use notes an address in the stack that is used for more than an access at a known offset: one of a parameter, or one
// below the stack pointer.
func (fr *frame) use(off, sp int64) {
	fr.params = fr.params || off >= 8
	if off < sp {
		fr.red, fr.low = true, min(fr.low, off)
	}
}

// inspectEnd finds the uses of the stack where an instruction calls, returns or jumps.
func (f *function) inspectEnd(p *program, in *inst, o offsets, refuse func(format string, args ...any)) {
	fr := &f.frame
	switch {
	case in.isCall():
		for i, r := range argumentRegs {
			if _, ok := o.of(r); ok && i < in.arguments(p) {
				fr.escapes = true
			}
		}
		if !in.tail {
			for _, s := range in.passed() {
				s = in.passes(o, s)
				if s.off+s.size > 0 {
					refuse("%s: the call passes more on the stack than there is", in.Text)
					return
				}
				fr.slots[s] = true
			}
		}
		for _, g := range p.funcs {
			if in.pointer && p.onStack(g) && in.hasRoom(o, g) {
				for _, s := range g.passed {
					fr.slots[in.passes(o, s)] = true
				}
			}
		}
		fr.escapes = fr.escapes || in.pointer && o.mentions(in.Cond)
		if v, _ := o.of(lift.RSP); in.tail && v != 0 {
			what := "the stack is not balanced at a jump to another function"
			if in.pointer {
				what = "the table of the jump is not found"
			}
			refuse("%s: %s", in.Text, what)
		}
	case in.End == lift.Ret:
		if v, _ := o.of(lift.RSP); v != 0 {
			refuse("the stack is not balanced at a return")
		}
		if _, ok := o.of(lift.RAX); ok {
			fr.escapes = true
		}
		if _, ok := o.of(lift.RDX); ok && f.results.has(lift.RDX) {
			fr.escapes = true
		}
	default:
		fr.escapes = fr.escapes || o.mentions(in.Cond) || o.mentions(in.Guard)
	}
}

// passed are the parameters on the stack of what an instruction calls.
func (in *inst) passed() []slot {
	switch {
	case in.callee != nil:
		return in.callee.passed
	case in.stub != nil:
		return in.stub.passed()
	}
	return nil
}

// passes returns the word of the caller's stack that is a parameter of its callee.
func (in *inst) passes(o offsets, s slot) slot {
	sp, _ := o.of(lift.RSP)
	return slot{sp + s.off - 8, s.size}
}

// changesNothing reports whether an operation is a locked instruction that leaves memory as it is, such as
// lock or dword ptr [rsp], 0, and no operation after it uses what it read: compilers use it as a fence.
func changesNothing(op *ir.Op, rest []ir.Op) bool {
	if op.Kind != ir.RMW || op.RMW != ir.FetchOr && op.RMW != ir.FetchAdd && op.RMW != ir.FetchXor {
		return false
	}
	for i := range rest {
		used := false
		rest[i].Uses(func(r ir.Reg) { used = used || r == op.Dst })
		if used {
			return false
		}
	}
	c, ok := op.Val.IsConst()
	return ok && c == 0
}

// cut returns the pieces of accesses, in the order of their offsets: no access begins or ends inside one.
func cut(accesses []slot) []slot {
	var ends []int64
	for _, s := range accesses {
		ends = append(ends, s.off, s.off+s.size)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	inside := map[int64]bool{} // where pieces begin
	for _, s := range accesses {
		for i, _ := slices.BinarySearch(ends, s.off); ends[i] < s.off+s.size; i++ {
			inside[ends[i]] = true
		}
	}
	var out []slot
	for i, begin := range ends {
		if inside[begin] {
			out = append(out, slot{begin, ends[i+1] - begin})
		}
	}
	return out
}

// words splits pieces into ones that are as large as accesses can be, of 1, 2, 4 or 8 bytes.
func words(pieces []slot) []slot {
	var out []slot
	for _, p := range pieces {
		for end := p.off + p.size; p.off < end; p.off += p.size {
			for p.size = 8; p.size > end-p.off || p.off%p.size != 0; p.size /= 2 {
			}
			out = append(out, p)
		}
	}
	return out
}

// piecesOf returns the pieces of an access.
func (fr *frame) piecesOf(s slot) []slot {
	at := func(off int64) int {
		i, _ := slices.BinarySearchFunc(fr.pieces, off, func(p slot, off int64) int { return cmp.Compare(p.off, off) })
		return i
	}
	return fr.pieces[at(s.off):at(s.off+s.size)]
}
