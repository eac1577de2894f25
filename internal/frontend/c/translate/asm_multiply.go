package translate

import (
	"strings"

	"fencepost/internal/ir"
)

// Multiplication and division with the accumulator, whose results have twice the width: edx:eax, and
// ah:al for bytes. Instructions that extend the accumulator.

// multiplyWide is mul or imul with one operand.
func multiplyWide(in *asmInstruction, signed bool) {
	t := ir.Type{Bits: in.typ.Bits, Signed: signed}
	x, y := in.accumulator("rax", t), in.keep(ir.Unary(ir.Cast, t, in.read(0)))
	if in.typ.Bits == 64 {
		y = in.keep(in.read(0))
		low := in.keep(ir.Binary(ir.Mul, ir.U64, x, y))
		high := in.keep(highProduct(in, x, y, signed))
		in.set(in.register("rax"), ir.U64, false, low)
		in.set(in.register("rdx"), ir.U64, false, high)
		productFlags(in, func() *ir.Expr {
			if signed {
				return ir.Binary(ir.Ne, ir.S64, high, ir.Binary(ir.Shr, ir.S64, low, ir.Int(63)))
			}
			return ir.Binary(ir.Ne, ir.U64, high, ir.Int(0))
		})
		return
	}
	product := in.keep(ir.Binary(ir.Mul, ir.S64, x, y))
	if in.typ.Bits == 8 {
		in.set(in.register("rax"), ir.U16, false, product)
	} else {
		in.set(in.register("rax"), in.typ, false, product)
		in.set(in.register("rdx"), in.typ, false, ir.Binary(ir.Shr, ir.U64, product, ir.Int(int64(in.typ.Bits))))
	}
	productFlags(in, func() *ir.Expr { return ir.Binary(ir.Ne, ir.S64, product, ir.Unary(ir.Cast, t, product)) })
}

// productFlags sets carry and overflow: whether the product needs more than the width.
func productFlags(in *asmInstruction, more func() *ir.Expr) {
	in.setFlag(carryFlag, more)
	in.setFlag(overflowFlag, more)
	in.setFlag(zeroFlag, nil)
	in.setFlag(signFlag, nil)
}

// accumulator returns the value of a register that an instruction reads without naming it.
func (in *asmInstruction) accumulator(name string, t ir.Type) *ir.Expr {
	r := in.register(name)
	if !in.machine.written[r] {
		in.In.Refuse(codeAsm, in.stmt, "the instruction %q needs a value in %s", in.text, name)
	}
	return in.keep(Cast(ir.R(r), ir.S64, t))
}

// highProduct returns the upper 64 bits of a product of 128 bits, from products of 32 bits.
func highProduct(in *asmInstruction, x, y *ir.Expr, signed bool) *ir.Expr {
	b := func(op ir.ExprOp, p, q *ir.Expr) *ir.Expr { return ir.Binary(op, ir.U64, p, q) }
	half, mask := ir.Int(32), ir.Int(1<<32-1)
	x0, x1, y0, y1 := b(ir.And, x, mask), b(ir.Shr, x, half), b(ir.And, y, mask), b(ir.Shr, y, half)
	p00, p01, p10 := in.keep(b(ir.Mul, x0, y0)), in.keep(b(ir.Mul, x0, y1)), in.keep(b(ir.Mul, x1, y0))
	middle := in.keep(b(ir.Add, b(ir.Add, b(ir.Shr, p00, half), b(ir.And, p01, mask)), b(ir.And, p10, mask)))
	high := b(ir.Add, b(ir.Add, b(ir.Mul, x1, y1), b(ir.Shr, p01, half)), b(ir.Add, b(ir.Shr, p10, half), b(ir.Shr, middle, half)))
	if signed {
		less := func(p, q *ir.Expr) *ir.Expr {
			return ir.Conditional(ir.Binary(ir.Lt, ir.S64, p, ir.Int(0)), q, ir.Int(0))
		}
		high = b(ir.Sub, b(ir.Sub, high, less(x, y)), less(y, x))
	}
	return high
}

// multiplyThree is imul with a constant, an operand and a register for the result.
func multiplyThree(in *asmInstruction) {
	x, y := in.keep(in.read(1)), in.keep(in.read(0))
	product := in.keep(ir.Binary(ir.Mul, in.typ, x, y))
	in.write(2, product)
	signedProductFlags(in, x, y, product)
}

// signedProductFlags sets the flags of imul with a result of the width of its operands.
func signedProductFlags(in *asmInstruction, x, y, product *ir.Expr) {
	t := ir.Type{Bits: in.typ.Bits, Signed: true}
	productFlags(in, func() *ir.Expr {
		if in.typ.Bits == 64 {
			return ir.Binary(ir.Ne, ir.S64, highProduct(in, x, y, true), ir.Binary(ir.Shr, ir.S64, product, ir.Int(63)))
		}
		exact := in.keep(ir.Binary(ir.Mul, ir.S64, ir.Unary(ir.Cast, t, x), ir.Unary(ir.Cast, t, y)))
		return ir.Binary(ir.Ne, ir.S64, exact, ir.Unary(ir.Cast, t, exact))
	})
}

// divideWide is div or idiv. A quotient that does not fit is the same error for the processor as a division
// by zero. A dividend of more than 64 bits is not supported.
func divideWide(in *asmInstruction, signed bool) {
	t, wide := ir.Type{Bits: in.typ.Bits, Signed: signed}, ir.Type{Bits: 64, Signed: signed}
	divisor := in.keep(ir.Unary(ir.Cast, t, in.read(0)))
	var dividend *ir.Expr
	switch in.typ.Bits {
	case 8:
		dividend = in.accumulator("rax", ir.Type{Bits: 16, Signed: signed})
	case 64:
		dividend = in.accumulator("rax", wide)
		rest := ir.Int(0)
		if signed {
			rest = ir.Binary(ir.Shr, ir.S64, dividend, ir.Int(63))
		}
		in.Code.OnlyIf(ir.Binary(ir.Eq, ir.U64, in.accumulator("rdx", ir.U64), rest), in.stmt, codeAsm,
			"a division of more than 64 bits is not supported")
	default:
		low, high := in.accumulator("rax", in.typ), in.accumulator("rdx", in.typ)
		dividend = ir.Binary(ir.Or, ir.U64, ir.Binary(ir.Shl, ir.U64, high, ir.Int(int64(in.typ.Bits))), low)
		if signed && in.typ.Bits == 16 {
			dividend = ir.Unary(ir.Cast, ir.S32, dividend)
		}
		dividend = in.keep(dividend)
	}
	in.Code.Check(ir.Binary(ir.Ne, ir.S64, divisor, ir.Int(0)), ir.DivByZero, "division by zero")
	quotient := in.keep(ir.Binary(ir.Div, wide, dividend, divisor))
	remainder := in.keep(ir.Binary(ir.Rem, wide, dividend, divisor))
	if in.typ.Bits < 64 {
		in.Code.Check(ir.Binary(ir.Eq, ir.S64, quotient, ir.Unary(ir.Cast, t, quotient)), ir.DivByZero, "the quotient of a division does not fit")
	}
	if in.typ.Bits == 8 {
		in.set(in.register("rax"), ir.U8, false, quotient)
		in.set(in.register("rax"), ir.U8, true, remainder)
	} else {
		in.set(in.register("rax"), in.typ, false, quotient)
		in.set(in.register("rdx"), in.typ, false, remainder)
	}
	for _, f := range []asmFlag{carryFlag, overflowFlag, zeroFlag, signFlag} {
		in.setFlag(f, nil)
	}
}

// asmExtensions are the instructions that extend the accumulator, by their names in both syntaxes: the
// width from which, and whether the upper half goes to rdx.
var asmExtensions = map[string]struct {
	bits  uint8
	upper bool
}{
	"cbtw": {8, false}, "cbw": {8, false}, "cwtl": {16, false}, "cwde": {16, false}, "cltq": {32, false}, "cdqe": {32, false},
	"cwtd": {16, true}, "cwd": {16, true}, "cltd": {32, true}, "cdq": {32, true}, "cqto": {64, true}, "cqo": {64, true},
}

// extendAccumulator is one of asmExtensions.
func extendAccumulator(in *asmInstruction, name string) {
	e := asmExtensions[name]
	v := in.accumulator("rax", ir.Type{Bits: e.bits, Signed: true})
	if e.upper {
		in.set(in.register("rdx"), ir.Type{Bits: e.bits}, false, ir.Binary(ir.Shr, ir.S64, v, ir.Int(63)))
		return
	}
	in.set(in.register("rax"), ir.Type{Bits: 2 * e.bits}, false, v)
}

// extendTo is movzx and movsx, which take the widths from their operands. It returns false for other
// instructions.
func extendTo(in *asmInstruction, word string) bool {
	if word != "movzx" && word != "movsx" && word != "movsxd" || len(in.args) != 2 {
		return false
	}
	from, to := in.args[0].typ, in.args[1].typ
	if from.Bits == 0 || from.Bits >= to.Bits || in.locked {
		in.unsupported()
	}
	from.Signed = strings.HasPrefix(word, "movs")
	in.writeAs(1, to, ir.Unary(ir.Cast, from, in.readAs(0, ir.Type{Bits: from.Bits})))
	return true
}
