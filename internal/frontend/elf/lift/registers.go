package lift

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// The registers, in the order of their numbers in instructions.
const (
	RAX ir.Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	// Vector is the lower half of the first vector register; the upper half comes after it.
	Vector
)

const (
	vectors = 16
	// CF and the others are the flags.
	CF = Vector + 2*vectors + iota
	PF
	ZF
	SF
	OF
	// Left and Right are the operands of the last comparison.
	Left
	Right
	// FirstTemp is the first register that only one instruction uses.
	FirstTemp
)

// RegisterName returns the name of a register for people.
func RegisterName(r ir.Reg) string {
	names := []string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	flags := []string{"cf", "pf", "zf", "sf", "of", "left", "right"}
	switch {
	case r < Vector:
		return names[r]
	case r < CF:
		return fmt.Sprintf("xmm%d.%s", (r-Vector)/2, []string{"low", "high"}[(r-Vector)%2])
	case r < FirstTemp:
		return flags[r-CF]
	}
	return fmt.Sprintf("t%d", r-FirstTemp)
}

// low and high are the halves of a vector register.
func low(r x86asm.Reg) ir.Reg  { return Vector + 2*ir.Reg(r-x86asm.X0) }
func high(r x86asm.Reg) ir.Reg { return low(r) + 1 }

func isVector(a x86asm.Arg) bool {
	r, ok := a.(x86asm.Reg)
	return ok && r >= x86asm.X0 && r <= x86asm.X15
}

// general returns the 64-bit register that a general register is part of, its width, and the first
// bit of it; ok is false for other registers.
func general(r x86asm.Reg) (reg ir.Reg, bits, shift int, ok bool) {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return ir.Reg(r - x86asm.AL), 8, 0, true
	case r >= x86asm.AH && r <= x86asm.BH:
		return ir.Reg(r - x86asm.AH), 8, 8, true
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return ir.Reg(r-x86asm.SPB) + RSP, 8, 0, true
	case r >= x86asm.AX && r <= x86asm.R15W:
		return ir.Reg(r - x86asm.AX), 16, 0, true
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return ir.Reg(r - x86asm.EAX), 32, 0, true
	case r >= x86asm.RAX && r <= x86asm.R15:
		return ir.Reg(r - x86asm.RAX), 64, 0, true
	}
	return 0, 0, 0, false
}

func unsigned(bits int) ir.Type { return ir.Type{Bits: uint8(bits)} }
func signed(bits int) ir.Type   { return ir.Type{Bits: uint8(bits), Signed: true} }

// Short names for expressions.
func add(x, y *ir.Expr) *ir.Expr  { return sum(x, y) }
func sub(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.Sub, ir.U64, x, y) }
func and(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.And, ir.U64, x, y) }
func or(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Or, ir.U64, x, y) }
func xor(x, y *ir.Expr) *ir.Expr  { return ir.Binary(ir.Xor, ir.U64, x, y) }
func eq(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Eq, ir.U64, x, y) }
func ne(x, y *ir.Expr) *ir.Expr   { return ir.Binary(ir.Ne, ir.U64, x, y) }
func less(x, y *ir.Expr) *ir.Expr { return ir.Binary(ir.Lt, ir.U64, x, y) }

// sum adds, and keeps constants in one piece so that addresses stay readable.
func sum(x, y *ir.Expr) *ir.Expr {
	c, ok := y.IsConst()
	switch {
	case !ok:
		if _, left := x.IsConst(); left {
			return sum(y, x)
		}
	case c == 0:
		return x
	case x.Op == ir.AddrOf:
		return ir.Addr(x.Obj, x.Value+c)
	case x.Op == ir.Add && x.Type == ir.U64:
		if d, ok := x.Y.IsConst(); ok {
			return sum(x.X, ir.Int(c+d))
		}
	}
	return ir.Binary(ir.Add, ir.U64, x, y)
}

// shl and shr shift by less than 64.
func shl(x *ir.Expr, n int) *ir.Expr { return ir.Binary(ir.Shl, ir.U64, x, ir.Int(int64(n))) }
func shr(x *ir.Expr, n int) *ir.Expr { return ir.Binary(ir.Shr, ir.U64, x, ir.Int(int64(n))) }

// cut returns the lowest bits of x, extended with zeros.
func cut(x *ir.Expr, bits int) *ir.Expr {
	if bits == 64 || x.Op == ir.Cast && !x.Type.Signed && int(x.Type.Bits) <= bits || x.Op.IsTruth() {
		return x
	}
	if x.Op == ir.Cast && int(x.Type.Bits) >= bits {
		x = x.X
	}
	return ir.Unary(ir.Cast, unsigned(bits), x)
}

// extend returns the lowest bits of x, extended with their sign.
func extend(x *ir.Expr, bits int) *ir.Expr {
	if bits == 64 {
		return x
	}
	if x.Op == ir.Cast && int(x.Type.Bits) >= bits {
		x = x.X
	}
	return ir.Unary(ir.Cast, signed(bits), x)
}

func signBit(bits int) *ir.Expr { return ir.Int(-1 << 63 >> (64 - bits) & mask(bits)) }

// mask is a number whose lowest bits are set.
func mask(bits int) int64 { return int64(^uint64(0) >> (64 - bits)) }
