package litmus

import "fencepost/internal/ir"

// signed and unsigned are the types of the operation's width.
func (t *thread) signed() ir.Type   { return t.c.integer(t.size, true) }
func (t *thread) unsigned() ir.Type { return t.c.integer(t.size, false) }

// partOf is the type at which a whole register holds a value written at the given
// width: 32-bit results are extended by zeros to 64 bits. ok is false where the
// other bits of the register stay.
func (t *thread) partOf(r register) (ir.Type, bool) {
	switch {
	case r.part == t.c.arch.whole(r).part:
		return t.c.integer(r.part.size(), true), true
	case r.part == part32:
		return ir.U32, true
	default:
		return ir.Type{}, false
	}
}

// read is the value of a register at a type of its width.
func (t *thread) read(r register, typ ir.Type) *ir.Expr {
	x := ir.R(t.reg(r.num))
	if r.part == part8h {
		x = ir.Binary(ir.Shr, ir.U64, x, ir.Int(8))
	}
	if r.part == t.c.arch.whole(r).part && typ.Signed {
		return x
	}
	return cast(typ, x)
}

// cast cuts x to a type, without casts that change nothing.
func cast(typ ir.Type, x *ir.Expr) *ir.Expr {
	for x.Op == ir.Cast && x.Type.Bits >= typ.Bits {
		x = x.X
	}
	if typ.Bits == 64 {
		return x
	}
	return ir.Unary(ir.Cast, typ, x)
}

// merged returns what the whole register holds after v was written to a part of it.
func (t *thread) merged(r register, v *ir.Expr) *ir.Expr {
	if typ, whole := t.partOf(r); whole {
		return cast(typ, v)
	}
	mask := int64(0xff)
	if r.part == part16 {
		mask = 0xffff
	}
	v = ir.Binary(ir.And, ir.S64, v, ir.Int(mask))
	if r.part == part8h {
		mask <<= 8
		v = ir.Binary(ir.Shl, ir.S64, v, ir.Int(8))
	}
	rest := ir.Binary(ir.And, ir.S64, ir.R(t.reg(r.num)), ir.Int(^mask))
	return ir.Binary(ir.Or, ir.S64, rest, v)
}

// value is an operand as a signed number; memory is read into a temporary.
func (t *thread) value(op *operand) *ir.Expr {
	switch op.kind {
	case isRegister:
		return t.read(op.reg, t.signed())
	case isImmediate:
		return t.immediate(op)
	case isMemory:
		tmp := t.temp()
		t.load(tmp, op, t.signed())
		return ir.R(tmp)
	default:
		panic("BUG: unknown operand")
	}
}

func (t *thread) immediate(op *operand) *ir.Expr {
	if op.sym != "" {
		t.c.unit.addresses = true
		return ir.Addr(t.c.locations[op.sym].obj, op.num)
	}
	return ir.Int(t.signed().Wrap(op.num))
}

func (t *thread) load(dst ir.Reg, at *operand, typ ir.Type) {
	op := t.access(ir.Load, at, typ)
	op.Dst = dst
	t.emit(op)
}

func (t *thread) store(at *operand, v *ir.Expr) {
	op := t.access(ir.Store, at, t.signed())
	op.Val = v
	t.emit(op)
}

// write puts v into an operand.
func (t *thread) write(dst *operand, v *ir.Expr) {
	if dst.kind == isMemory {
		t.store(dst, v)
		return
	}
	t.assign(t.reg(dst.reg.num), t.merged(dst.reg, v))
}

// locked makes a locked read-modify-write; dst gets the old value, if present.
func (t *thread) locked(at *operand, kind ir.RMWKind, typ ir.Type, dst ir.Reg, v *ir.Expr) {
	op := t.access(ir.RMW, at, typ)
	op.RMW, op.Dst, op.Val = kind, dst, v
	t.emit(op)
}

func (t *thread) move(dst, src *operand) {
	if dst.kind == isRegister && src.kind == isMemory {
		if typ, whole := t.partOf(dst.reg); whole {
			t.load(t.reg(dst.reg.num), src, typ)
			return
		}
	}
	t.write(dst, t.value(src))
}

func (t *thread) extend(dst, src *operand) {
	typ := t.c.integer(t.oc.from, t.oc.signed)
	if src.kind == isRegister {
		t.write(dst, t.read(src.reg, typ))
		return
	}
	part, whole := t.partOf(dst.reg)
	if whole && (part.Signed || !typ.Signed) {
		t.load(t.reg(dst.reg.num), src, typ)
		return
	}
	tmp := t.temp()
	t.load(tmp, src, typ)
	t.write(dst, ir.R(tmp))
}

// swap is xchg: with memory one locked step, else local. The exchange that herd
// calls unlocked is a load and a store.
func (t *thread) swap(dst, src *operand) {
	if dst.kind == isRegister {
		tmp := t.temp()
		t.assign(tmp, t.value(dst))
		t.write(dst, t.value(src))
		t.write(src, ir.R(tmp))
		return
	}
	part, whole := t.partOf(src.reg)
	switch {
	case t.oc.kind == kUnlocked:
		old := t.value(dst)
		t.store(dst, t.value(src))
		t.write(src, old)
	case whole:
		t.locked(dst, ir.Xchg, part, t.reg(src.reg.num), t.value(src))
	default:
		tmp := t.temp()
		t.locked(dst, ir.Xchg, t.signed(), tmp, t.value(src))
		t.write(src, ir.R(tmp))
	}
}

func (t *thread) xadd(dst, src *operand) {
	var old *ir.Expr
	switch {
	case t.in.lock:
		tmp := t.temp()
		t.locked(dst, ir.FetchAdd, t.signed(), tmp, t.value(src))
		old = ir.R(tmp)
	case dst.kind == isRegister:
		tmp := t.temp()
		t.assign(tmp, t.value(dst))
		old = ir.R(tmp)
	default:
		old = t.value(dst)
	}
	sum := ir.Binary(ir.Add, t.signed(), old, t.value(src))
	t.setFlags(aluAdd, old, t.value(src), sum)
	switch {
	case t.in.lock:
		t.write(src, old)
	case dst.kind == isRegister:
		// With both operands the same register the sum wins.
		keep := t.temp()
		t.assign(keep, sum)
		t.write(src, old)
		t.write(dst, ir.R(keep))
	default:
		t.store(dst, sum)
		t.write(src, old)
	}
}

// cmpxchg compares the destination with the accumulator. If they are equal it writes
// the source to the destination; otherwise it writes the old value of the destination
// to the accumulator and back to the destination: "the destination operand receives a
// write cycle without regard to the result of the comparison" (Intel's manual, volume
// 2, CMPXCHG). Without a lock on memory the write is a store of its part after the
// load, so a failure can undo a store that another thread made in between. With a lock
// a failure is one locked step that leaves memory unchanged and drains the buffer.
func (t *thread) cmpxchg(dst, src *operand) {
	acc := register{regAX, src.reg.part}
	if acc.part == part8h {
		acc.part = part8
	}
	expected := t.read(acc, t.signed())
	accOp := &operand{kind: isRegister, reg: acc}
	tmp := t.temp()
	old := ir.R(tmp)
	switch {
	case t.in.lock:
		op := t.access(ir.RMW, dst, t.signed())
		op.RMW, op.Dst, op.Val, op.Val2 = ir.Cas, tmp, expected, t.value(src)
		t.emit(op)
	case dst.kind == isMemory:
		t.load(tmp, dst, t.signed())
	default:
		t.assign(tmp, t.value(dst))
	}
	same := ir.Binary(ir.Eq, ir.S64, old, expected)
	t.setFlags(aluSub, expected, old, ir.Binary(ir.Sub, t.signed(), expected, old))
	if t.in.lock {
		t.assign(t.reg(regAX), ir.Conditional(same, ir.R(t.reg(regAX)), t.merged(acc, old)))
		t.link(t.at, t.next)
		return
	}
	fork := t.inner()
	t.link(t.at, fork)
	yes, no := ir.NewOp(ir.Assume), ir.NewOp(ir.Assume)
	yes.Val, no.Val = same, ir.Negate(same)
	t.emit(yes)
	t.write(dst, t.value(src))
	t.link(fork, t.next)
	t.emit(no)
	if dst.kind == isMemory {
		t.write(dst, old)
	}
	t.write(accOp, old)
	t.link(fork, t.next)
}

func (t *thread) cmov(dst, src *operand) {
	v := t.value(src)
	t.write(dst, ir.Conditional(t.holds(t.oc.cond), v, t.value(dst)))
}
