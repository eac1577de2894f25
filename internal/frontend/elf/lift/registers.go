package lift

import (
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
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

// Short names for expressions.
var (
	add, sub, and, or, xor, eq, ne = word.Add, word.Sub, word.And, word.Or, word.Xor, word.Eq, word.Ne
	less, shl, shr, cut, extend    = word.Less, word.Shl, word.Shr, word.Cut, word.Extend
	mask                           = word.Mask
)
