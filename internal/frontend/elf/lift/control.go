package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
	"fencepost/internal/x86"
)

// Jumps, calls and returns. A call does not push a return address here: the caller, which puts instructions
// together, knows where a function returns to.

func (l *Lifter) branch(rel x86asm.Rel) {
	to, err := l.res.Branch(l.addr, l.in.PCRelOff, l.addr+uint64(l.in.Len)+uint64(int64(rel)))
	l.fail(err)
	l.out.To = to
}

func (l *Lifter) jump() bool { return l.transfer(Jump, Indirect) }
func (l *Lifter) call() bool { return l.transfer(Call, CallTo) }

func (l *Lifter) transfer(direct, indirect End) bool {
	if rel, ok := l.in.Args[0].(x86asm.Rel); ok {
		l.branch(rel)
		l.out.End = direct
		return true
	}
	o := l.operand(0)
	if o.bits != 64 {
		return false
	}
	l.out.Cond, l.out.End = l.value(o, 64), indirect
	return true
}

func (l *Lifter) ret() bool {
	l.out.End = Ret
	return l.in.Args[0] == nil
}

func (l *Lifter) jumpIfZero() bool {
	rel, ok := l.in.Args[0].(x86asm.Rel)
	if !ok {
		return false
	}
	bits := 64
	if l.in.Op == x86asm.JECXZ {
		bits = 32
	}
	l.branch(rel)
	l.out.End, l.out.Cond = Branch, eq(cut(ir.R(RCX), bits), ir.Int(0))
	return true
}

// trap is an instruction that compilers put where the execution must not come.
func (l *Lifter) trap() bool {
	l.assert(ir.Int(0), ir.ReachError, "the execution reaches "+l.out.Text)
	l.out.End = Stop
	return true
}

// fence is a fence, or an instruction that does nothing.
func (l *Lifter) fence() bool {
	kind, known := x86.FenceNamed(l.name())
	if kind != ir.FenceUnset {
		op := ir.NewOp(ir.Fence)
		op.Fence = kind
		l.emit(op)
	}
	return known
}
