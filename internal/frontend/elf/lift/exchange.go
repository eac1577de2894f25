package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"fencepost/internal/ir"
)

// Exchanges. xchg with memory is locked without a prefix.

func (l *Lifter) exchange() bool {
	x, y := l.operand(0), l.operand(1)
	if y.inMemory() {
		x, y = y, x
	}
	b := l.keep(l.value(y, x.bits))
	if x.inMemory() {
		l.set(y, l.rmw(ir.Xchg, &x, b))
		return true
	}
	a := l.keep(l.value(x, x.bits))
	l.set(x, b)
	l.set(y, a)
	return true
}

func (l *Lifter) exchangeAdd() bool {
	to, from := l.operand(0), l.operand(1)
	bits := to.bits
	b := l.keep(l.value(from, bits))
	var a *ir.Expr
	lock := l.locked(&to)
	if lock {
		a = l.rmw(ir.FetchAdd, &to, b)
	} else {
		a = l.keep(l.value(to, bits))
	}
	r := l.keep(cut(add(a, b), bits))
	if lock || to.inMemory() {
		if !lock {
			l.set(to, r)
		}
		l.set(from, a)
	} else { // the sum wins if both are one register
		l.set(from, a)
		l.set(to, r)
	}
	l.addFlags(a, b, nil, r, bits)
	return true
}

// compareExchange is cmpxchg. Without lock it writes in any case: what it read, if that differs.
func (l *Lifter) compareExchange() bool {
	to, from := l.operand(0), l.operand(1)
	if !to.inMemory() {
		return false
	}
	bits := to.bits
	rax := ir.R(RAX)
	want, put := l.keep(cut(rax, bits)), l.keep(l.value(from, bits))
	var was, same *ir.Expr
	if l.locked(&to) {
		op := access(ir.RMW, to.addr, bits)
		op.RMW, op.Val, op.Val2, op.Order, op.Fail = ir.Cas, want, put, ir.SeqCst, ir.SeqCst
		op.Dst, op.Dst2 = l.temp(), l.temp()
		l.emit(op)
		was, same = ir.R(op.Dst), ir.R(op.Dst2)
	} else {
		was = l.keep(l.value(to, bits))
		same = l.keep(eq(was, want))
		l.set(to, ir.Conditional(same, put, was))
	}
	l.accumulate(same, was, bits)
	l.subFlags(want, was, nil, l.keep(cut(sub(want, was), bits)), bits)
	return true
}

// accumulate puts what a failed comparison read into the accumulator, which stays as it is otherwise.
func (l *Lifter) accumulate(same, was *ir.Expr, bits int) {
	rax := ir.R(RAX)
	if bits < 32 {
		was = or(and(rax, ir.Int(^mask(bits))), was)
	}
	l.assign(RAX, ir.Conditional(same, rax, was))
}

// compareExchange16 is cmpxchg16b: there is no RMW of 16 bytes, so that an atomic section has two
// accesses of 8 bytes each. Only ZF changes.
func (l *Lifter) compareExchange16() bool {
	to := l.operand(0)
	if l.in.Op != x86asm.CMPXCHG16B || to.addr == nil || to.bits != 128 || !l.has(x86asm.PrefixLOCK) {
		return false
	}
	at := l.keep(to.addr)
	if to.addr.Op == ir.AddrOf {
		at = to.addr
	}
	l.emit(ir.NewOp(ir.AtomicBegin))
	low, high := l.load(at, 64), l.load(add(at, ir.Int(8)), 64)
	same := l.keep(ir.Binary(ir.LAnd, ir.S64, eq(low, ir.R(RAX)), eq(high, ir.R(RDX))))
	l.store(at, 64, ir.Conditional(same, ir.R(RBX), low))
	l.store(add(at, ir.Int(8)), 64, ir.Conditional(same, ir.R(RCX), high))
	l.emit(ir.NewOp(ir.AtomicEnd))
	l.assign(RAX, ir.Conditional(same, ir.R(RAX), low))
	l.assign(RDX, ir.Conditional(same, ir.R(RDX), high))
	l.setFlag(ZF, same)
	l.compared = compared{}
	return true
}
