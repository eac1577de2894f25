package lift

import "fencepost/internal/ir"

// compared says what the flags were made of. Then conditions compare numbers, which the passes after
// this one understand better than flags.
type compared struct {
	kind comparedKind
	bits int
}

type comparedKind uint8

const (
	unknownFlags comparedKind = iota
	difference                // Left - Right, both extended with zeros
	logical                   // Left is the result; CF and OF are 0
	result                    // Left is the result, from which ZF and SF come
	before                    // what the instruction before left, which is not known so far
)

func (l *Lifter) setFlag(f ir.Reg, e *ir.Expr) { l.assign(f, e) }

// resultFlags sets ZF, SF and PF from a result that is extended with zeros.
func (l *Lifter) resultFlags(r *ir.Expr, bits int, kind comparedKind) {
	l.setFlag(ZF, eq(r, ir.Int(0)))
	l.setFlag(SF, ne(and(r, signBit(bits)), ir.Int(0)))
	if !l.NoParity {
		l.setFlag(PF, parity(r))
	}
	l.assign(Left, r)
	l.compared = compared{kind, bits}
}

// parity is 1 if the lowest byte has an even number of bits.
func parity(r *ir.Expr) *ir.Expr {
	x := and(r, ir.Int(255))
	x = xor(x, shr(x, 4))
	x = xor(x, shr(x, 2))
	x = xor(x, shr(x, 1))
	return eq(and(x, ir.Int(1)), ir.Int(0))
}

// addFlags sets the flags of a + b + carry, where r is the result; carry may be nil.
func (l *Lifter) addFlags(a, b, carry, r *ir.Expr, bits int) {
	cf := less(r, a)
	if carry != nil {
		cf = or(cf, and(carry, eq(r, a)))
	}
	l.setFlag(CF, cf)
	l.setFlag(OF, ne(and(and(xor(a, r), xor(b, r)), signBit(bits)), ir.Int(0)))
	l.resultFlags(r, bits, result)
}

// subFlags sets the flags of a - b - borrow, where r is the result; borrow may be nil.
func (l *Lifter) subFlags(a, b, borrow, r *ir.Expr, bits int) {
	cf := less(a, b)
	if borrow != nil {
		cf = or(cf, and(borrow, eq(a, b)))
	}
	l.setFlag(CF, cf)
	l.setFlag(OF, ne(and(and(xor(a, b), xor(a, r)), signBit(bits)), ir.Int(0)))
	l.resultFlags(r, bits, result)
	if borrow == nil {
		l.assign(Left, a)
		l.assign(Right, b)
		l.compared = compared{difference, bits}
	}
}

// logicFlags sets the flags of and, or, xor and test.
func (l *Lifter) logicFlags(r *ir.Expr, bits int) {
	l.setFlag(CF, ir.Int(0))
	l.setFlag(OF, ir.Int(0))
	l.resultFlags(r, bits, logical)
}

// condition returns a condition by its number in instructions: the lowest bit negates.
func (l *Lifter) condition(n int) *ir.Expr {
	e := l.positive(n &^ 1)
	if n&1 == 1 {
		return ir.Negate(e)
	}
	return e
}

// positive returns one of the conditions o, b, e, be, s, p, l, le.
func (l *Lifter) positive(n int) *ir.Expr {
	c := l.compared
	if c.kind == before {
		c, l.out.asksBefore = compared{}, true
	}
	l.out.ReadsParity = l.out.ReadsParity || n == 10
	a, b, zero := ir.R(Left), ir.R(Right), ir.Int(0)
	negative := func() *ir.Expr { return ir.Binary(ir.Lt, ir.S64, extend(a, c.bits), zero) }
	switch {
	case n == 4 && c.kind == difference:
		return eq(a, b)
	case n == 4 && c.kind != unknownFlags:
		return eq(a, zero)
	case n == 8 && (c.kind == logical || c.kind == result):
		return negative()
	case c.kind == difference:
		switch n {
		case 2:
			return less(a, b)
		case 6:
			return ir.Binary(ir.Le, ir.U64, a, b)
		case 12:
			return ir.Binary(ir.Lt, ir.S64, extend(a, c.bits), extend(b, c.bits))
		case 14:
			return ir.Binary(ir.Le, ir.S64, extend(a, c.bits), extend(b, c.bits))
		}
	case c.kind == logical:
		switch n {
		case 6:
			return eq(a, zero)
		case 12:
			return negative()
		case 14:
			return ir.Binary(ir.Le, ir.S64, extend(a, c.bits), zero)
		}
	}
	flag := func(f ir.Reg) *ir.Expr { return ne(ir.R(f), zero) }
	switch n {
	case 0:
		return flag(OF)
	case 2:
		return flag(CF)
	case 4:
		return flag(ZF)
	case 6:
		return ir.Binary(ir.LOr, ir.S64, flag(CF), flag(ZF))
	case 8:
		return flag(SF)
	case 10:
		return flag(PF)
	case 12:
		return ne(ir.R(SF), ir.R(OF))
	case 14:
		return ir.Binary(ir.LOr, ir.S64, flag(ZF), ne(ir.R(SF), ir.R(OF)))
	default:
		panic("BUG: no such condition")
	}
}
