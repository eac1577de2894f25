package translate

import "fencepost/internal/ir"

// Instructions that count bits, and those of BMI1 and BMI2 that combine operands.

// countBits is popcnt, bsf, bsr, tzcnt or lzcnt.
func countBits(in *asmInstruction, name string) {
	if in.typ.Bits == 8 {
		in.unsupported()
	}
	width := int64(in.typ.Bits)
	from := in.keep(in.read(0))
	zero := ir.Binary(ir.Eq, ir.U64, from, ir.Int(0))
	if in.repeated {
		in.Code.OnlyIf(ir.Negate(zero), in.stmt, codeAsm, "rep bsf of zero, which is tzcnt for some processors and bsf for others, is not supported")
	}
	var result *ir.Expr
	switch name {
	case "popcnt":
		result = oneBits(in, from)
	case "bsf", "tzcnt": // the bits below the lowest one
		result = oneBits(in, ir.Binary(ir.Sub, ir.U64, ir.Binary(ir.And, ir.U64, from, ir.Unary(ir.Neg, ir.U64, from)), ir.Int(1)))
		if name == "tzcnt" {
			result = ir.Conditional(zero, ir.Int(width), result)
		}
	default:
		filled := from
		for n := int64(1); n < width; n *= 2 { // all bits below the highest one
			filled = in.keep(ir.Binary(ir.Or, ir.U64, filled, ir.Binary(ir.Shr, ir.U64, filled, ir.Int(n))))
		}
		result = oneBits(in, filled)
		if name == "bsr" {
			result = ir.Binary(ir.Sub, ir.S64, result, ir.Int(1))
		} else {
			result = ir.Binary(ir.Sub, ir.S64, ir.Int(width), result)
		}
	}
	result = in.keep(result)
	if name == "bsf" || name == "bsr" { // the result for zero is undefined
		if in.machine.written[in.args[1].reg] { // processors leave the register alone
			result = in.keep(ir.Conditional(zero, in.read(1), result))
		}
		in.write(1, result)
		in.setFlag(zeroFlag, func() *ir.Expr { return zero })
		in.setFlag(carryFlag, nil)
	} else {
		in.write(1, result)
		in.setFlag(zeroFlag, func() *ir.Expr { return ir.Binary(ir.Eq, ir.U64, result, ir.Int(0)) })
		in.setFlag(carryFlag, func() *ir.Expr {
			if name == "popcnt" {
				return ir.Int(0)
			}
			return zero
		})
	}
	in.setFlag(signFlag, nil)
	in.setFlag(overflowFlag, nil)
}

// oneBits returns how many bits of a number of 64 bits are set.
func oneBits(in *asmInstruction, v *ir.Expr) *ir.Expr {
	b := func(op ir.ExprOp, p *ir.Expr, q uint64) *ir.Expr { return ir.Binary(op, ir.U64, p, ir.Int(int64(q))) }
	v = in.keep(v)
	v = in.keep(ir.Binary(ir.Sub, ir.U64, v, b(ir.And, b(ir.Shr, v, 1), 0x5555555555555555)))
	v = in.keep(ir.Binary(ir.Add, ir.U64, b(ir.And, v, 0x3333333333333333), b(ir.And, b(ir.Shr, v, 2), 0x3333333333333333)))
	v = b(ir.And, ir.Binary(ir.Add, ir.U64, v, b(ir.Shr, v, 4)), 0x0f0f0f0f0f0f0f0f)
	return b(ir.Shr, b(ir.Mul, v, 0x0101010101010101), 56)
}

// asmCombine are instructions of BMI1 and BMI2 that set no flag that is read here or only those of their
// result.
var asmCombine = map[string]int{
	"andn": 3, "blsi": 2, "blsr": 2, "blsmsk": 2, "bzhi": 3, "shlx": 3, "shrx": 3, "sarx": 3, "rorx": 3,
}

// combineBits is one of asmCombine.
func combineBits(in *asmInstruction, name string) {
	if in.typ.Bits < 32 {
		in.unsupported()
	}
	width := int64(in.typ.Bits)
	t, signed := in.typ, ir.Type{Bits: in.typ.Bits, Signed: true}
	x := in.keep(in.read(0))
	y := x
	if len(in.args) == 3 {
		y = in.keep(in.read(1))
	}
	count := ir.Binary(ir.And, ir.U64, x, ir.Int(width-1))
	minus := ir.Binary(ir.Sub, t, x, ir.Int(1))
	var result *ir.Expr
	switch name {
	case "andn": // andn a, b, to: ^b & a
		result = ir.Binary(ir.And, t, ir.Unary(ir.BitNot, t, y), x)
	case "blsi":
		result = ir.Binary(ir.And, t, x, ir.Unary(ir.Neg, t, x))
	case "blsr":
		result = ir.Binary(ir.And, t, x, minus)
	case "blsmsk":
		result = ir.Binary(ir.Xor, t, x, minus)
	case "bzhi":
		n := in.keep(ir.Binary(ir.And, ir.U64, x, ir.Int(255)))
		mask := ir.Binary(ir.Sub, ir.U64, ir.Binary(ir.Shl, ir.U64, ir.Int(1), n), ir.Int(1))
		result = ir.Conditional(ir.Binary(ir.Lt, ir.U64, n, ir.Int(width)), ir.Binary(ir.And, ir.U64, y, mask), y)
	case "shlx":
		result = ir.Binary(ir.Shl, t, y, count)
	case "shrx":
		result = ir.Binary(ir.Shr, t, y, count)
	case "sarx":
		result = ir.Binary(ir.Shr, signed, ir.Unary(ir.Cast, signed, y), count)
	case "rorx":
		rest := ir.Binary(ir.And, ir.U64, ir.Binary(ir.Sub, ir.S64, ir.Int(width), count), ir.Int(width-1))
		result = ir.Binary(ir.Or, ir.U64, ir.Binary(ir.Shr, t, y, count), ir.Binary(ir.Shl, t, y, rest))
	}
	result = in.keep(Cast(result, ir.S64, t))
	in.write(len(in.args)-1, result)
	switch name {
	case "shlx", "shrx", "sarx", "rorx":
		return
	}
	in.setFlag(carryFlag, nil)
	in.setFlag(overflowFlag, nil)
	in.resultFlags(t, result)
}

// castagnoli is the polynomial of crc32, the lowest power in the highest bit.
const castagnoli = 0x82f63b78

// checksum is crc32: the checksum of the second operand goes on with the bits of the first.
func checksum(in *asmInstruction) {
	v := in.keep(ir.Binary(ir.Xor, ir.U64, in.readAs(1, ir.U32), in.read(0)))
	for range in.typ.Bits {
		odd := ir.Binary(ir.And, ir.U64, v, ir.Int(1))
		v = in.keep(ir.Binary(ir.Xor, ir.U64, ir.Binary(ir.Shr, ir.U64, v, ir.Int(1)), ir.Binary(ir.Mul, ir.U64, odd, ir.Int(castagnoli))))
	}
	in.writeAs(1, ir.U32, v)
}
