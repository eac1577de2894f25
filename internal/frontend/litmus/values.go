package litmus

import "fencepost/internal/ir"

// signed is the type of the operation's width.
func (t *thread) signed() ir.Type { return t.c.integer(t.size, true) }

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

// swapUnlocked is the exchange that herd calls unlocked: a load and a store.
func (t *thread) swapUnlocked(dst, src *operand) {
	old := t.value(dst)
	t.store(dst, t.value(src))
	t.write(src, old)
}
