package litmus

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// arrange puts the destination first. X86 tests are written in Intel's order,
// X86_64 tests, and X86 tests with '%' before registers, in AT&T's. Where only
// one operand can be the destination the order does not matter: herd writes
// cmpxchg in Intel's order everywhere.
func (t *thread) arrange() ([]*operand, bool) {
	ops := make([]*operand, len(t.in.ops))
	for i := range ops {
		ops[i] = &t.in.ops[i]
		if ops[i].kind == isTarget && t.oc.kind != kJump {
			ops[i].kind = isMemory
		}
	}
	if len(ops) < 2 {
		return ops, len(ops) == 0 || t.writable(ops[0])
	}
	swapped := []*operand{ops[1], ops[0]}
	atAndT := t.c.arch == arch64 || t.c.tree.percent
	if atAndT {
		ops, swapped = swapped, ops
	}
	switch t.oc.kind {
	case kXadd, kCmpxchg, kSwap, kUnlocked:
		if ops[1].kind == isMemory {
			ops = swapped
		}
	case kCmov, kLea:
		if ops[0].kind == isMemory && ops[1].kind == isRegister {
			ops = swapped
		}
	case kArith:
		if t.oc.alu == x86.Test && ops[0].kind == isImmediate {
			ops = swapped // test is symmetric
		}
	}
	return ops, t.writable(ops[0]) && t.shape(ops[0], ops[1])
}

// writable reports a destination that is a number.
func (t *thread) writable(dst *operand) bool {
	if dst.kind != isImmediate {
		return true
	}
	d := t.c.errorf(codeOperands, dst.extent, "a number cannot be the destination of '%s'", t.in.name.text)
	if t.c.arch == arch64 {
		d.Note("X86_64 tests write the destination last")
	} else {
		d.Note("X86 tests write the destination first, unless registers have a '%%'")
	}
	return false
}

// shape checks what kinds of operands the instruction takes.
func (t *thread) shape(dst, src *operand) bool {
	bad := func(op *operand, what string) bool {
		t.c.errorf(codeOperands, op.extent, "'%s' %s", t.in.name.text, what)
		return false
	}
	switch {
	case t.oc.kind == kLea && src.kind != isMemory:
		return bad(src, "needs an address")
	case dst.kind == isMemory && src.kind == isMemory:
		return bad(src, "cannot have two operands in memory")
	}
	switch t.oc.kind {
	case kLea, kCmov, kExtend:
		if dst.kind != isRegister {
			return bad(dst, "writes a register")
		}
		if t.oc.kind != kLea && src.kind == isImmediate {
			return bad(src, "does not take a number")
		}
	case kXadd, kCmpxchg, kSwap, kUnlocked:
		if src.kind != isRegister {
			return bad(src, "needs a register")
		}
	}
	return true
}

// width is the size of an instruction's operation in bytes: its suffix, else
// that of a register, else what the test says about the variable in memory.
func (c *compiler) width(in *instruction, oc *opcode) int {
	if oc.size > 0 {
		return oc.size
	}
	if oc.kind == kExtend && len(in.ops) == 2 {
		for k := range in.ops {
			// The wider of two registers is the destination.
			if op := &in.ops[k]; op.kind == isRegister && (in.ops[1-k].kind != isRegister || op.reg.part.size() >= in.ops[1-k].reg.part.size()) {
				return op.reg.part.size()
			}
		}
	}
	for k := range in.ops {
		if op := &in.ops[k]; op.kind == isRegister {
			return op.reg.part.size()
		}
	}
	for k := range in.ops {
		if op := &in.ops[k]; op.size > 0 {
			return op.size
		}
	}
	if oc.kind == kSet {
		return 1
	}
	for k := range in.ops {
		if op := &in.ops[k]; op.kind != isImmediate && op.sym != "" {
			if l := c.locations[op.sym]; l != nil && l.typed {
				return l.typ.Size()
			}
		}
	}
	return 4
}

// checkWidths finds the width of the operation and registers that do not fit it.
func (t *thread) checkWidths(ops []*operand) bool {
	t.size = t.c.width(t.in, &t.oc)
	for i, op := range ops {
		if op.kind == isRegister && op.reg.part.size() != t.size && t.oc.kind != kSet && !(t.oc.kind == kExtend && i == 1) {
			t.c.errorf(codeWidth, op.extent, "register '%s' has %d bits in an operation on %d bits",
				op.reg.name(), 8*op.reg.part.size(), 8*t.size)
			return false
		}
		if op.size > 0 && op.size != t.size && !(t.oc.kind == kExtend && i == 1) {
			t.c.errorf(codeWidth, op.extent, "an operand of %d bits in an operation on %d bits", 8*op.size, 8*t.size)
			return false
		}
	}
	if t.oc.kind == kExtend {
		return t.checkExtend(ops[1])
	}
	return true
}

// checkExtend finds the width of the source of movzx and movsx.
func (t *thread) checkExtend(src *operand) bool {
	from := t.oc.from
	switch {
	case src.kind == isRegister:
		if from > 0 && from != src.reg.part.size() {
			t.c.errorf(codeWidth, src.extent, "register '%s' has %d bits, but the source has %d", src.reg.name(), 8*src.reg.part.size(), 8*from)
			return false
		}
		from = src.reg.part.size()
	case from == 0 && src.size > 0:
		from = src.size
	case from == 0:
		if l := t.c.locations[src.sym]; l != nil && l.typed {
			from = l.typ.Size()
		}
	}
	if from == 0 || from >= t.size {
		t.c.errorf(codeWidth, src.extent, "'%s' needs a source narrower than %d bits", t.in.name.text, 8*t.size)
		return false
	}
	t.oc.from = from
	return true
}

// checkLock reports a lock prefix that cannot stand there.
func (t *thread) checkLock(ops []*operand) bool {
	if !t.in.lock {
		return true
	}
	name := t.in.name.text
	switch {
	case t.oc.kind != kArith && t.oc.kind != kXadd && t.oc.kind != kCmpxchg && t.oc.kind != kSwap, t.oc.kind == kArith && !t.oc.alu.Writes():
		t.c.errorf(codeLock, t.in.extent, "'%s' cannot have a lock prefix", name)
		return false
	}
	if ops[0].kind != isMemory {
		t.c.errorf(codeLock, t.in.extent, "'lock %s' needs a destination in memory", name)
		return false
	}
	return true
}

// address is the expression for the address of an operand in memory.
func (t *thread) address(op *operand) *ir.Expr {
	typ := t.c.integer(t.c.arch.word(), false)
	var sum *ir.Expr
	add := func(x *ir.Expr) {
		if sum == nil {
			sum = x
		} else {
			sum = ir.Binary(ir.Add, typ, sum, x)
		}
	}
	disp := op.num
	if op.sym != "" {
		add(ir.Addr(t.c.locations[op.sym].obj, disp))
		disp = 0
	}
	if op.hasBase {
		add(t.addressRegister(op.base))
	}
	if op.hasIndex {
		x := t.addressRegister(op.index)
		if op.scale != 1 {
			x = ir.Binary(ir.Mul, typ, x, ir.Int(op.scale))
		}
		add(x)
	}
	if disp != 0 || sum == nil {
		add(ir.Int(disp))
	}
	return sum
}

func (t *thread) addressRegister(r register) *ir.Expr {
	if r.part == t.c.arch.whole(r).part {
		return ir.R(t.reg(r.num))
	}
	return t.read(r, t.c.integer(r.part.size(), false))
}

// access starts an operation on memory.
func (t *thread) access(kind ir.OpKind, at *operand, typ ir.Type) ir.Op {
	op := ir.NewOp(kind)
	op.Type, op.Sync.Order, op.Addr = typ, ir.Plain, t.address(at)
	if kind == ir.RMW {
		op.Sync.Order = ir.SeqCst
	}
	if at.sym == "" || at.hasBase || at.hasIndex {
		t.c.checks = true
		return op
	}
	l := t.c.locations[at.sym]
	op.Obj = l.obj
	if at.num < 0 || at.num > l.size()-int64(typ.Size()) {
		t.c.errorf(codeBounds, at.extent, "an access to %d bytes at offset %d of '%s', which has %d", typ.Size(), at.num, clip(l.name), l.size())
	}
	return op
}
