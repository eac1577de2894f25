package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Arithmetic. The operands are kept before the result is written, because the flags are made of
// them.

// locked reports whether the instruction is a read-modify-write of memory.
func (l *Lifter) locked(o *operand) bool { return l.has(x86asm.PrefixLOCK) && o.inMemory() }

// rmw emits a read-modify-write and returns the old value.
func (l *Lifter) rmw(kind ir.RMWKind, o *operand, val *ir.Expr) *ir.Expr {
	op := access(ir.RMW, o.addr, o.bits)
	op.RMW, op.Val, op.Order, op.Dst = kind, val, ir.SeqCst, l.temp()
	l.emit(op)
	return ir.R(op.Dst)
}

// both returns the operands of an instruction, the first one locked and changed if it must be.
func (l *Lifter) both(kind ir.RMWKind, change func(b *ir.Expr) *ir.Expr) (o operand, a, b *ir.Expr, done bool) {
	o = l.operand(0)
	from := l.operand(1)
	bits := o.bits
	if from.inMemory() { // such as add r, [m]
		b = l.keep(l.value(from, bits))
		return o, l.keep(l.value(o, bits)), b, false
	}
	b = l.keep(l.value(from, bits))
	if l.locked(&o) {
		return o, l.rmw(kind, &o, change(b)), b, true
	}
	return o, l.keep(l.value(o, bits)), b, false
}

func (l *Lifter) add() bool {
	var c *ir.Expr
	if l.in.Op == x86asm.ADC {
		c = l.keep(ir.R(CF))
	}
	plus := func(b *ir.Expr) *ir.Expr {
		if c != nil {
			b = add(b, c)
		}
		return b
	}
	o, a, b, done := l.both(ir.FetchAdd, func(b *ir.Expr) *ir.Expr { return cut(plus(b), l.bitsOf(l.in.Args[0])) })
	r := l.keep(cut(add(a, plus(b)), o.bits))
	if !done {
		l.set(o, r)
	}
	l.addFlags(a, b, c, r, o.bits)
	return true
}

func (l *Lifter) subtract() bool {
	var c *ir.Expr
	if l.in.Op == x86asm.SBB {
		c = l.keep(ir.R(CF))
	}
	plus := func(b *ir.Expr) *ir.Expr {
		if c != nil {
			b = add(b, c)
		}
		return b
	}
	o, a, b, done := l.both(ir.FetchAdd, func(b *ir.Expr) *ir.Expr { return cut(sub(ir.Int(0), plus(b)), l.bitsOf(l.in.Args[0])) })
	r := l.keep(cut(sub(a, plus(b)), o.bits))
	if !done && l.in.Op != x86asm.CMP {
		l.set(o, r)
	}
	l.subFlags(a, b, c, r, o.bits)
	return true
}

func (l *Lifter) logic() bool {
	if l.in.Op == x86asm.XOR && l.in.Args[0] == l.in.Args[1] { // sets a register to 0, whatever was in it
		if _, ok := l.in.Args[0].(x86asm.Reg); ok {
			l.set(l.operand(0), ir.Int(0))
			l.logicFlags(ir.Int(0), l.operand(0).bits)
			return true
		}
	}
	if imm, ok := l.in.Args[1].(x86asm.Imm); ok && (l.in.Op == x86asm.OR && imm == -1 || l.in.Op == x86asm.AND && imm == 0) {
		if _, ok := l.in.Args[0].(x86asm.Reg); ok { // sets all bits or none, whatever was in it
			o := l.operand(0)
			r := ir.Int(int64(imm) & mask(o.bits))
			l.set(o, r)
			l.logicFlags(r, o.bits)
			return true
		}
	}
	kinds := map[x86asm.Op]struct {
		op  ir.ExprOp
		rmw ir.RMWKind
	}{x86asm.AND: {ir.And, ir.FetchAnd}, x86asm.TEST: {ir.And, ir.FetchAnd}, x86asm.OR: {ir.Or, ir.FetchOr}, x86asm.XOR: {ir.Xor, ir.FetchXor}}
	k := kinds[l.in.Op]
	o, a, b, done := l.both(k.rmw, func(b *ir.Expr) *ir.Expr { return b })
	r := l.keep(ir.Binary(k.op, ir.U64, a, b))
	if l.in.Args[0] == l.in.Args[1] {
		r = a // test r, r
	}
	if !done && l.in.Op != x86asm.TEST {
		l.set(o, r)
	}
	l.logicFlags(r, o.bits)
	return true
}

func (l *Lifter) increment() bool {
	o := l.operand(0)
	by, overflow := int64(1), signBit(o.bits)
	if l.in.Op == x86asm.DEC {
		by, overflow = -1, ir.Int(mask(o.bits)>>1&mask(63))
		if o.bits < 64 {
			overflow = ir.Int(mask(o.bits - 1))
		}
	}
	var r *ir.Expr
	if l.locked(&o) {
		r = l.keep(cut(add(l.rmw(ir.FetchAdd, &o, ir.Int(by&mask(o.bits))), ir.Int(by)), o.bits))
	} else {
		r = l.keep(cut(add(l.value(o, o.bits), ir.Int(by)), o.bits))
		l.set(o, r)
	}
	l.setFlag(OF, eq(r, overflow))
	l.resultFlags(r, o.bits, result)
	return true
}

func (l *Lifter) negate() bool {
	o := l.operand(0)
	lock := l.locked(&o)
	if lock {
		l.emit(ir.NewOp(ir.AtomicBegin))
	}
	a := l.keep(l.value(o, o.bits))
	r := l.keep(cut(sub(ir.Int(0), a), o.bits))
	l.set(o, r)
	if lock {
		l.emit(ir.NewOp(ir.AtomicEnd))
	}
	l.setFlag(CF, ne(a, ir.Int(0)))
	l.setFlag(OF, eq(a, signBit(o.bits)))
	l.resultFlags(r, o.bits, result)
	return true
}

func (l *Lifter) not() bool {
	o := l.operand(0)
	if l.locked(&o) {
		l.rmw(ir.FetchXor, &o, ir.Int(mask(o.bits)))
		return true
	}
	l.set(o, xor(l.value(o, o.bits), ir.Int(-1)))
	return true
}

// shift is shl, shr and sar. With a count of 0 the flags stay; OF is defined for a count of 1 only.
func (l *Lifter) shift() bool {
	o, count, ok := l.counted()
	if !ok {
		return false
	}
	bits := o.bits
	a := l.keep(l.value(o, bits))
	shifted := func(n *ir.Expr) (r, cf *ir.Expr) {
		before := sub(n, ir.Int(1)) // the last bit that goes out is at the end after one shift less
		switch l.in.Op {
		case x86asm.SHL:
			return cut(ir.Binary(ir.Shl, ir.U64, a, n), bits), and(ir.Binary(ir.Shr, ir.U64, ir.Binary(ir.Shl, ir.U64, a, before), ir.Int(int64(bits-1))), ir.Int(1))
		case x86asm.SHR:
			return ir.Binary(ir.Shr, ir.U64, a, n), and(ir.Binary(ir.Shr, ir.U64, a, before), ir.Int(1))
		}
		s := extend(a, bits)
		return cut(ir.Binary(ir.Shr, ir.S64, s, n), bits), and(ir.Binary(ir.Shr, ir.S64, s, before), ir.Int(1))
	}
	r, cf := shifted(count)
	r = l.keep(r)
	var of *ir.Expr
	top := func(x *ir.Expr) *ir.Expr { return and(shr(x, bits-1), ir.Int(1)) }
	switch l.in.Op {
	case x86asm.SHL:
		of = xor(top(r), cf)
	case x86asm.SHR:
		of = top(a)
	default:
		of = ir.Int(0)
	}
	l.set(o, r)
	if n, ok := count.IsConst(); ok {
		if n == 0 {
			return true
		}
		l.setFlag(CF, cf)
		l.setFlag(OF, of)
		l.resultFlags(r, bits, result)
		return true
	}
	zero := eq(count, ir.Int(0))
	l.setFlag(CF, ir.Conditional(zero, ir.R(CF), cf))
	l.setFlag(OF, ir.Conditional(zero, ir.R(OF), of))
	l.setFlag(ZF, ir.Conditional(zero, ir.R(ZF), eq(r, ir.Int(0))))
	l.setFlag(SF, ir.Conditional(zero, ir.R(SF), ne(and(r, signBit(bits)), ir.Int(0))))
	if !l.NoParity {
		l.setFlag(PF, ir.Conditional(zero, ir.R(PF), parity(r)))
	}
	l.compared = compared{}
	return true
}

// counted returns the operand of a shift or rotation and the count, cut as the processor does.
func (l *Lifter) counted() (o operand, count *ir.Expr, ok bool) {
	if l.in.Args[2] != nil || l.has(x86asm.PrefixLOCK) {
		return o, nil, false
	}
	o = l.operand(0)
	m := int64(31)
	if o.bits == 64 {
		m = 63
	}
	switch c := l.in.Args[1].(type) {
	case x86asm.Imm:
		return o, ir.Int(int64(c) & m), true
	case x86asm.Reg:
		return o, l.keep(and(ir.R(RCX), ir.Int(m))), c == x86asm.CL
	}
	return o, nil, false
}

// rotate is rol and ror: only CF and OF change, and neither with a count of 0.
func (l *Lifter) rotate() bool {
	o, count, ok := l.counted()
	if !ok {
		return false
	}
	bits := o.bits
	a := l.keep(l.value(o, bits))
	n := l.keep(and(count, ir.Int(int64(bits-1))))
	back := and(sub(ir.Int(int64(bits)), n), ir.Int(int64(bits-1)))
	left, right := n, back
	if l.in.Op == x86asm.ROR {
		left, right = back, n
	}
	r := l.keep(cut(or(ir.Binary(ir.Shl, ir.U64, a, left), ir.Binary(ir.Shr, ir.U64, a, right)), bits))
	top, bottom := and(shr(r, bits-1), ir.Int(1)), and(r, ir.Int(1))
	cf, of := bottom, xor(top, bottom)
	if l.in.Op == x86asm.ROR {
		cf, of = top, xor(top, and(shr(r, bits-2), ir.Int(1)))
	}
	l.set(o, r)
	zero := eq(count, ir.Int(0))
	l.setFlag(CF, ir.Conditional(zero, ir.R(CF), cf))
	l.setFlag(OF, ir.Conditional(zero, ir.R(OF), of))
	l.compared = compared{}
	return true
}
