package lift

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// compared says what the flags were made of. Then conditions compare numbers, which the passes after
// this one understand better than flags. Left and Right hold the numbers, extended with zeros.
type compared struct {
	source x86.Source
	bits   int
	before bool // the instruction before made them, which is not known so far
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
	if c.before {
		c, l.out.asksBefore = compared{}, true
	}
	l.out.ReadsParity = l.out.ReadsParity || n == 10
	a, b, zero := ir.R(Left), ir.R(Right), ir.Int(0)
	negative := func() *ir.Expr { return ir.Binary(ir.Lt, ir.S64, extend(a, c.bits), zero) }
	switch {
	case n == 4 && c.source == x86.Difference:
		return eq(a, b)
	case n == 4 && c.source != x86.OtherSource:
		return eq(a, zero)
	case n == 8 && (c.source == x86.Logical || c.source == x86.Result):
		return negative()
	case c.source == x86.Difference:
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
	case c.source == x86.Logical:
		switch n {
		case 6:
			return eq(a, zero)
		case 12:
			return negative()
		case 14:
			return ir.Binary(ir.Le, ir.S64, extend(a, c.bits), zero)
		}
	}
	return x86.Condition(n).Holds(func(f x86.Flag) *ir.Expr { return ir.R(CF + ir.Reg(f)) })
}
