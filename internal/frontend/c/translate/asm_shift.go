package translate

import "fencepost/internal/ir"

// Shifts and rotations, by a constant or by %cl. The processor takes the count modulo 32, or modulo 64
// for operands of 64 bits. A count of zero changes no flag. Overflow, which is defined for a count of
// one only, is not computed.

// shiftBits is a shift or rotation of the last operand.
func shiftBits(in *asmInstruction, name string) {
	to := len(in.args) - 1
	width := int64(in.typ.Bits)
	count := shiftCount(in, to)
	if n, ok := count.IsConst(); ok && n == 0 {
		return
	}
	old := in.keep(in.read(to))
	if name == "shld" || name == "shrd" {
		shiftPair(in, name, count, old)
		return
	}
	wide := func(op ir.ExprOp, x, n *ir.Expr) *ir.Expr { return ir.Binary(op, ir.U64, x, n) }
	bit := func(x, n *ir.Expr) *ir.Expr { return wide(ir.And, wide(ir.Shr, x, n), ir.Int(1)) }
	before := ir.Binary(ir.Sub, ir.S64, count, ir.Int(1))
	signed := ir.Unary(ir.Cast, ir.Type{Bits: in.typ.Bits, Signed: true}, old)
	var result, carry *ir.Expr
	switch name {
	case "shl", "sal":
		result = wide(ir.Shl, old, count)
		// A count may be more than the width of a byte or a word: then zeros come out.
		out := ir.Binary(ir.Sub, ir.S64, ir.Int(width), count)
		carry = ir.Conditional(ir.Binary(ir.Ge, ir.S64, out, ir.Int(0)), bit(old, out), ir.Int(0))
	case "shr":
		result, carry = wide(ir.Shr, old, count), bit(old, before)
	case "sar":
		result = ir.Binary(ir.Shr, ir.S64, signed, count)
		carry = ir.Binary(ir.And, ir.U64, ir.Binary(ir.Shr, ir.S64, signed, before), ir.Int(1))
	case "rol", "ror":
		n := ir.Binary(ir.And, ir.U64, count, ir.Int(width-1))
		rest := ir.Binary(ir.And, ir.U64, ir.Binary(ir.Sub, ir.S64, ir.Int(width), n), ir.Int(width-1))
		left, right := wide(ir.Shl, old, n), wide(ir.Shr, old, rest)
		if name == "ror" {
			left, right = wide(ir.Shl, old, rest), wide(ir.Shr, old, n)
		}
		result = wide(ir.Or, left, right)
	}
	result = in.keep(Cast(result, ir.S64, in.typ))
	in.write(to, result)
	switch name {
	case "rol":
		carry = wide(ir.And, result, ir.Int(1))
	case "ror":
		carry = bit(result, ir.Int(width-1))
	}
	shiftFlags(in, name == "rol" || name == "ror", count, carry, result)
}

// shiftCount returns by how much an instruction shifts.
func shiftCount(in *asmInstruction, to int) *ir.Expr {
	mask := int64(31)
	if in.typ.Bits == 64 {
		mask = 63
	}
	if to == 0 { // shl %eax
		return ir.Int(1)
	}
	a := &in.args[0]
	switch {
	case a.number != nil:
		return ir.Int(*a.number & mask)
	case a.reg == ir.NoReg || a.view.high:
		in.unsupported()
	}
	return in.keep(ir.Binary(ir.And, ir.U64, in.readAs(0, ir.U8), ir.Int(mask)))
}

// shiftFlags sets the flags of a shift, unless the count is zero. Rotations set the carry only.
func shiftFlags(in *asmInstruction, rotation bool, count, carry, result *ir.Expr) {
	_, constant := count.IsConst()
	unless := func(f asmFlag, v *ir.Expr) {
		in.setFlagFrom(f, func(old *ir.Expr) *ir.Expr {
			if constant {
				return v
			}
			if old == nil { // it has no value if the count is zero
				in.Code.OnlyIf(ir.Binary(ir.Ne, ir.S64, count, ir.Int(0)), in.stmt, codeAsm, "a flag is read after a shift by zero, and no instruction before sets it")
				return v
			}
			return ir.Conditional(ir.Binary(ir.Eq, ir.S64, count, ir.Int(0)), old, v)
		})
	}
	unless(carryFlag, carry)
	in.setFlag(overflowFlag, nil)
	if !rotation {
		unless(zeroFlag, ir.Binary(ir.Eq, in.typ, result, ir.Int(0)))
		unless(signFlag, negative(in.typ, result))
		unless(parityFlag, evenParity(result))
	}
}

// setFlagFrom sets a flag to a value that may depend on the flag; old is nil if the flag has no value,
// and a result nil takes its value away.
func (b *asmBlock) setFlagFrom(f asmFlag, value func(old *ir.Expr) *ir.Expr) {
	if b.machine.flags[f] == ir.NoReg {
		return
	}
	var old *ir.Expr
	if b.machine.known[f] {
		old = ir.R(b.machine.flags[f])
	}
	v := value(old)
	if b.machine.known[f] = v != nil; v != nil {
		b.Code.Assign(b.machine.flags[f], v)
	}
}

// shiftPair is shld and shrd: bits of the second operand come in.
func shiftPair(in *asmInstruction, name string, count, old *ir.Expr) {
	width := int64(in.typ.Bits)
	if width < 32 {
		in.unsupported() // by more than 15 the result is undefined
	}
	from := in.keep(in.read(1))
	rest := ir.Binary(ir.Sub, ir.S64, ir.Int(width), count)
	some := ir.Binary(ir.Ne, ir.S64, count, ir.Int(0))
	out, other, bit := ir.Shl, ir.Shr, rest
	if name == "shrd" {
		out, other, bit = ir.Shr, ir.Shl, ir.Binary(ir.Sub, ir.S64, count, ir.Int(1))
	}
	shifted := ir.Binary(ir.Or, ir.U64, ir.Binary(out, ir.U64, old, count), ir.Binary(other, ir.U64, from, rest))
	result := in.keep(Cast(ir.Conditional(some, shifted, old), ir.S64, in.typ))
	in.write(2, result)
	shiftFlags(in, false, count, ir.Binary(ir.And, ir.U64, ir.Binary(ir.Shr, ir.U64, old, bit), ir.Int(1)), result)
}

// rotateCarry is rcl and rcr: a rotation of the operand and the carry together, which are one bit more.
func rotateCarry(in *asmInstruction, name string) {
	to := len(in.args) - 1
	width := int64(in.typ.Bits)
	wide := func(op ir.ExprOp, x, n *ir.Expr) *ir.Expr { return ir.Binary(op, ir.U64, x, n) }
	count := in.keep(wide(ir.Rem, shiftCount(in, to), ir.Int(width+1)))
	if n, ok := count.IsConst(); ok && n == 0 {
		return
	}
	old := in.keep(in.read(to))
	carry := in.keep(in.condition(asmConditions["c"]))
	rest := in.keep(ir.Binary(ir.Sub, ir.S64, ir.Int(width), count))
	before := ir.Binary(ir.Sub, ir.S64, count, ir.Int(1))
	var rotated, next *ir.Expr
	if name == "rcl" {
		over := wide(ir.Shr, wide(ir.Shr, old, ir.Int(1)), rest) // by one more than rest
		rotated = wide(ir.Or, wide(ir.Or, wide(ir.Shl, old, count), over), wide(ir.Shl, carry, before))
		next = wide(ir.And, wide(ir.Shr, old, rest), ir.Int(1))
	} else {
		over := wide(ir.Shl, wide(ir.Shl, old, ir.Int(1)), rest)
		rotated = wide(ir.Or, wide(ir.Or, wide(ir.Shr, old, count), over), wide(ir.Shl, carry, rest))
		next = wide(ir.And, wide(ir.Shr, old, before), ir.Int(1))
	}
	none := ir.Binary(ir.Eq, ir.S64, count, ir.Int(0))
	in.write(to, in.keep(Cast(ir.Conditional(none, old, rotated), ir.S64, in.typ)))
	in.setFlag(carryFlag, func() *ir.Expr { return ir.Conditional(none, carry, next) })
	in.setFlag(overflowFlag, nil)
}
