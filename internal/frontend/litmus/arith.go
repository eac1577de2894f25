package litmus

import "fencepost/internal/ir"

func (t *thread) arith(dst, src *operand) {
	if t.in.lock {
		t.lockedArith(dst, t.value(src))
		return
	}
	a := t.value(dst)
	b := t.value(src)
	r := ir.Binary(t.oc.alu.expr(), t.signed(), a, b)
	t.setFlags(t.oc.alu, a, b, r)
	t.write(dst, r)
}

// lockedArith is one read-modify-write; subtraction is addition of the negative.
func (t *thread) lockedArith(dst *operand, b *ir.Expr) {
	kind, v := ir.FetchAdd, b
	switch t.oc.alu {
	case aluAdd, aluInc:
	case aluSub, aluDec:
		v = ir.Unary(ir.Neg, t.signed(), b)
	case aluAnd:
		kind = ir.FetchAnd
	case aluOr:
		kind = ir.FetchOr
	case aluXor:
		kind = ir.FetchXor
	default:
		panic("BUG: no locked operation")
	}
	if !t.wantsFlags() {
		t.locked(dst, kind, t.signed(), ir.NoReg, v)
		return
	}
	tmp := t.temp()
	t.locked(dst, kind, t.signed(), tmp, v)
	a := ir.R(tmp)
	t.setFlags(t.oc.alu, a, b, ir.Binary(t.oc.alu.expr(), t.signed(), a, b))
}

func (t *thread) compare(dst, src *operand) {
	a := t.value(dst)
	b := t.value(src)
	t.setFlags(t.oc.alu, a, b, ir.Binary(t.oc.alu.expr(), t.signed(), a, b))
}

func (t *thread) unary(dst *operand) {
	if t.in.lock {
		t.lockedArith(dst, ir.Int(1))
		return
	}
	a := t.value(dst)
	switch t.oc.alu {
	case aluNot:
		t.write(dst, ir.Unary(ir.BitNot, t.signed(), a))
	case aluNeg:
		r := ir.Unary(ir.Neg, t.signed(), a)
		t.setFlags(aluNeg, ir.Int(0), a, r)
		t.write(dst, r)
	default:
		r := ir.Binary(t.oc.alu.expr(), t.signed(), a, ir.Int(1))
		t.setFlags(t.oc.alu, a, ir.Int(1), r)
		t.write(dst, r)
	}
}

func (t *thread) wantsFlags() bool {
	for _, f := range t.flags {
		if f != ir.NoReg {
			return true
		}
	}
	return false
}

// setFlags computes the flags that are read from the operands a and b, which
// must not be overwritten yet, and the result r, all signed.
func (t *thread) setFlags(op alu, a, b, r *ir.Expr) {
	typ := t.signed()
	negative := func(x *ir.Expr) *ir.Expr { return ir.Binary(ir.Lt, ir.S64, x, ir.Int(0)) }
	bits := func(op ir.ExprOp, x, y *ir.Expr) *ir.Expr { return ir.Binary(op, typ, x, y) }
	below := func(x, y *ir.Expr) *ir.Expr {
		cut := t.unsigned()
		return ir.Binary(ir.Lt, ir.U64, cast(cut, x), cast(cut, y))
	}
	carry, overflow := ir.Int(0), ir.Int(0) // of and, or, xor
	switch op {
	case aluAdd, aluInc:
		carry = below(r, a)
		overflow = negative(bits(ir.And, bits(ir.Xor, a, r), bits(ir.Xor, b, r)))
	case aluSub, aluDec, aluNeg:
		carry = below(a, b)
		overflow = negative(bits(ir.And, bits(ir.Xor, a, b), bits(ir.Xor, a, r)))
	}
	set := func(f cpuFlag, x *ir.Expr) {
		if t.flags[f] != ir.NoReg {
			t.assign(t.flags[f], x)
		}
	}
	set(flagZ, ir.Binary(ir.Eq, ir.S64, r, ir.Int(0)))
	set(flagS, negative(r))
	if op != aluInc && op != aluDec {
		set(flagC, carry)
	}
	set(flagO, overflow)
}

// flagsOf is the flags a condition looks at.
func flagsOf(c condition) []cpuFlag {
	switch c {
	case condE, condNE:
		return []cpuFlag{flagZ}
	case condL, condGE:
		return []cpuFlag{flagS, flagO}
	case condLE, condG:
		return []cpuFlag{flagZ, flagS, flagO}
	case condB, condAE:
		return []cpuFlag{flagC}
	case condBE, condA:
		return []cpuFlag{flagC, flagZ}
	case condS, condNS:
		return []cpuFlag{flagS}
	case condO, condNO:
		return []cpuFlag{flagO}
	default:
		return nil
	}
}

// holds is the condition as an expression over the flags.
func (t *thread) holds(c condition) *ir.Expr {
	is := func(f cpuFlag) *ir.Expr { return ir.Binary(ir.Ne, ir.S64, ir.R(t.flags[f]), ir.Int(0)) }
	less := func() *ir.Expr { return ir.Binary(ir.Ne, ir.S64, ir.R(t.flags[flagS]), ir.R(t.flags[flagO])) }
	or := func(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.LOr, ir.S64, x, y) }
	switch c {
	case condE:
		return is(flagZ)
	case condNE:
		return ir.Negate(is(flagZ))
	case condL:
		return less()
	case condGE:
		return ir.Negate(less())
	case condLE:
		return or(is(flagZ), less())
	case condG:
		return ir.Negate(or(is(flagZ), less()))
	case condB:
		return is(flagC)
	case condAE:
		return ir.Negate(is(flagC))
	case condBE:
		return or(is(flagC), is(flagZ))
	case condA:
		return ir.Negate(or(is(flagC), is(flagZ)))
	case condS:
		return is(flagS)
	case condNS:
		return ir.Negate(is(flagS))
	case condO:
		return is(flagO)
	case condNO:
		return ir.Negate(is(flagO))
	default:
		panic("BUG: unknown condition")
	}
}
