package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Arithmetic with one and two operands. Operands are kept before the result is written, because the flags are made of
// them.

// Op is an arithmetic instruction. The zero value is unset.
type Op uint8

// The arithmetic instructions.
const (
	_ Op = iota
	Add
	Adc
	Sub
	Sbb
	Cmp
	And
	Or
	Xor
	Test
	Inc
	Dec
	Neg
	Not
)

// opNames are the names of the instructions, in their order.
var opNames = [...]string{"", "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "inc", "dec", "neg", "not"}

// OpNamed returns the arithmetic instruction with a name, 0 if there is none.
func OpNamed(name string) Op {
	for op, s := range opNames {
		if s == name {
			return Op(op)
		}
	}
	return 0
}

// String returns the name of the instruction.
func (op Op) String() string { return opNames[op] }

// Operands returns how many operands the instruction has.
func (op Op) Operands() int {
	if op >= Inc {
		return 1
	}
	return 2
}

// Writes reports whether the instruction writes its first operand, and so whether it may have a lock.
func (op Op) Writes() bool { return op != Cmp && op != Test }

// Arithmetic is an arithmetic instruction.
func Arithmetic(m Machine, op Op, bits int, lock bool) {
	b, c := second(m, op, bits)
	var a *ir.Expr
	if kind, v := op.update(b, c, bits); lock && v != nil {
		a = rmw(m, First, kind, bits, v)
		if wanted(m) {
			m.SetFlags(op.flags(a, b, c, m.Keep(op.result(a, b, c, bits)), bits))
		}
		return
	}
	locked(m, lock, func() {
		x := m.Read(First, bits)
		if kept := m.Keep(x); op.Operands() == 2 && !m.InMemory(First) && !m.InMemory(Second) && same(x, m.Read(Second, bits)) {
			a, b = kept, kept
		} else {
			a = kept
		}
		r := m.Keep(op.result(a, b, c, bits))
		if op.Writes() {
			m.Write(First, bits, r)
		}
		m.SetFlags(op.flags(a, b, c, r, bits))
	})
}

// second returns the second operand and the carry, nil if the instruction has none.
func second(m Machine, op Op, bits int) (b, c *ir.Expr) {
	switch op {
	case Neg, Not:
		return nil, nil
	case Inc, Dec:
		return ir.Int(1), nil
	case Adc, Sbb:
		c = m.Keep(m.Flag(CF))
	}
	return m.Keep(m.Read(Second, bits)), c
}

// same reports whether two operands are the same register.
func same(x, y *ir.Expr) bool {
	for x.Op == ir.Cast && y.Op == ir.Cast && x.Type == y.Type {
		x, y = x.X, y.X
	}
	return x.Op == ir.RegRef && y.Op == ir.RegRef && x.Reg == y.Reg
}

func plus(b, c *ir.Expr) *ir.Expr {
	if c == nil {
		return b
	}
	return word.Add(b, c)
}

// result returns what the instruction computes from its operands and the carry.
func (op Op) result(a, b, c *ir.Expr, bits int) *ir.Expr {
	switch op {
	case Add, Adc, Inc:
		return word.Cut(word.Add(a, plus(b, c)), bits)
	case Sub, Sbb, Cmp, Dec:
		return word.Cut(word.Sub(a, plus(b, c)), bits)
	case And, Test:
		if a == b {
			return a
		}
		return word.And(a, b)
	case Or:
		return word.Or(a, b)
	case Xor:
		return word.Xor(a, b)
	case Neg:
		return word.Cut(word.Sub(ir.Int(0), a), bits)
	case Not:
		return word.Xor(a, ir.Int(word.Mask(bits)))
	default:
		panic("BUG: unknown instruction")
	}
}

// update returns the read-modify-write that a locked instruction is; no value: there is none.
func (op Op) update(b, c *ir.Expr, bits int) (ir.RMWKind, *ir.Expr) {
	switch op {
	case Add, Adc, Inc:
		return ir.FetchAdd, word.Cut(plus(b, c), bits)
	case Sub, Sbb, Dec:
		if n, ok := plus(b, c).IsConst(); ok {
			return ir.FetchAdd, ir.Int(-n & word.Mask(bits))
		}
		return ir.FetchAdd, word.Cut(word.Sub(ir.Int(0), plus(b, c)), bits)
	case And:
		return ir.FetchAnd, b
	case Or:
		return ir.FetchOr, b
	case Xor:
		return ir.FetchXor, b
	case Not:
		return ir.FetchXor, ir.Int(word.Mask(bits))
	default:
		return 0, nil
	}
}

// flags returns the flags of a result.
func (op Op) flags(a, b, c, r *ir.Expr, bits int) *Flags {
	f := &Flags{}
	overflow := func(x, y *ir.Expr) {
		f.set(OF, word.Ne(word.And(word.And(x, y), word.SignBit(bits)), ir.Int(0)))
	}
	switch op {
	case Not:
		return f
	case Add, Adc:
		f.set(CF, carry(word.Less(r, a), word.Eq(r, a), c))
		overflow(word.Xor(a, r), word.Xor(b, r))
	case Inc:
		f.set(OF, word.Eq(r, word.SignBit(bits)))
	case Sub, Sbb, Cmp:
		f.set(CF, carry(word.Less(a, b), word.Eq(a, b), c))
		overflow(word.Xor(a, b), word.Xor(a, r))
	case Dec:
		f.set(OF, word.Eq(r, ir.Int(word.Mask(bits-1))))
	case Neg:
		f.set(CF, word.Ne(a, ir.Int(0)))
		f.set(OF, word.Eq(a, word.SignBit(bits)))
	default:
		f.set(CF, ir.Int(0))
		f.set(OF, ir.Int(0))
		f.result(r, bits, Logical)
		return f
	}
	f.result(r, bits, Result)
	if (op == Sub || op == Cmp) && a != b {
		f.Source, f.Left, f.Right = Difference, a, b
	}
	return f
}

// carry returns the carry of a sum or difference: it is certain, or there is one if the operands are equal and one came
// in.
func carry(certain, equal, in *ir.Expr) *ir.Expr {
	if in == nil {
		return certain
	}
	return word.Or(certain, word.And(in, equal))
}

// Constant writes a number to the first operand, with the flags of a logical result: such as xor of a register with
// itself, whatever the register held.
func Constant(m Machine, bits int, v int64) {
	r := ir.Int(v & word.Mask(bits))
	m.Write(First, bits, r)
	m.SetFlags(Or.flags(nil, nil, nil, r, bits))
}

// Carry is clc, stc and cmc.
func Carry(m Machine, name string) {
	f := &Flags{}
	switch name {
	case "clc":
		f.set(CF, ir.Int(0))
	case "stc":
		f.set(CF, ir.Int(1))
	default:
		f.set(CF, word.Eq(m.Flag(CF), ir.Int(0)))
	}
	m.SetFlags(f)
}
