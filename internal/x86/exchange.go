package x86

import (
	"fencepost/internal/ir"
	"fencepost/internal/x86/word"
)

// Exchange is xchg. Only the first operand may be in memory; then the exchange is locked.
func Exchange(m Machine, bits int) {
	b := m.Keep(m.Read(Second, bits))
	if m.InMemory(First) {
		m.Write(Second, bits, rmw(m, First, ir.Xchg, bits, b))
		return
	}
	a := m.Keep(m.Read(First, bits))
	m.Write(First, bits, b)
	m.Write(Second, bits, a)
}

// ExchangeAdd is xadd.
func ExchangeAdd(m Machine, bits int, lock bool) {
	b := m.Keep(m.Read(Second, bits))
	var a *ir.Expr
	if lock {
		a = rmw(m, First, ir.FetchAdd, bits, b)
	} else {
		a = m.Keep(m.Read(First, bits))
	}
	r := m.Keep(Add.result(a, b, nil, bits))
	switch {
	case lock:
		m.Write(Second, bits, a)
	case m.InMemory(First):
		m.Write(First, bits, r)
		m.Write(Second, bits, a)
	default: // the sum wins if both are one register
		m.Write(Second, bits, a)
		m.Write(First, bits, r)
	}
	m.SetFlags(Add.flags(a, b, nil, r, bits))
}

// CompareExchange is cmpxchg: it compares with the accumulator, which gets the value that was found. Without a lock it
// writes in any case: what it read, if that differs.
func CompareExchange(m Machine, bits int, lock bool) {
	want, put := m.Keep(m.Read(RAX, bits)), m.Keep(m.Read(Second, bits))
	var was, same *ir.Expr
	if lock {
		op := m.Access(First, ir.RMW, bits)
		op.RMW, op.Val, op.Val2, op.Sync.Order, op.Sync.Fail = ir.Cas, want, put, ir.SeqCst, ir.SeqCst
		op.Dst, op.Dst2 = m.Temp(), m.Temp()
		m.Emit(op)
		was, same = ir.R(op.Dst), ir.R(op.Dst2)
	} else {
		was = m.Keep(m.Read(First, bits))
		same = m.Keep(word.Eq(was, want))
		if m.InMemory(First) {
			m.Write(First, bits, ir.Conditional(same, put, was))
		} else {
			m.WriteIf(same, First, bits, put)
		}
	}
	m.WriteIf(ir.Negate(same), RAX, bits, was)
	if !wanted(m) {
		return
	}
	m.SetFlags(Cmp.flags(want, was, nil, m.Keep(Cmp.result(want, was, nil, bits)), bits))
}

// CompareExchangePair is cmpxchg8b and cmpxchg16b with a lock: two words of some bits against rdx:rax, replaced by
// rcx:rbx. There is no RMW of two words, so that an atomic section has two accesses each. Only ZF changes.
func CompareExchangePair(m Machine, bits int) {
	low, high := m.Keep(m.Read(RAX, bits)), m.Keep(m.Read(RDX, bits))
	putLow, putHigh := m.Keep(m.Read(RBX, bits)), m.Keep(m.Read(RCX, bits))
	m.Emit(ir.NewOp(ir.AtomicBegin))
	wasLow, wasHigh := m.Keep(m.Read(First, bits)), m.Keep(m.Read(AfterFirst, bits))
	same := m.Keep(ir.Binary(ir.LAnd, ir.S64, word.Eq(wasLow, low), word.Eq(wasHigh, high)))
	m.Write(First, bits, ir.Conditional(same, putLow, wasLow))
	m.Write(AfterFirst, bits, ir.Conditional(same, putHigh, wasHigh))
	m.Emit(ir.NewOp(ir.AtomicEnd))
	m.WriteIf(ir.Negate(same), RAX, bits, wasLow)
	m.WriteIf(ir.Negate(same), RDX, bits, wasHigh)
	f := &Flags{}
	f.set(ZF, same)
	m.SetFlags(f)
}

// Widen is cbw, cwde and cdqe: the accumulator gets twice the bits.
func Widen(m Machine, bits int) { m.Write(RAX, 2*bits, word.Extend(m.Read(RAX, bits), bits)) }

// Signs is cwd, cdq and cqo: rdx gets the sign of the accumulator.
func Signs(m Machine, bits int) { m.Write(RDX, bits, word.Sign(word.Extend(m.Read(RAX, bits), bits))) }

// String is one round of movs or, without load, stos; the direction is up, as the ABI has it.
func String(m Machine, bits int, load bool) {
	step := func(o Operand) { m.Write(o, 64, word.Add(m.Read(o, 64), ir.Int(int64(bits/8)))) }
	if load {
		m.Write(AtRDI, bits, m.Read(AtRSI, bits))
		step(RSI)
	} else {
		m.Write(AtRDI, bits, m.Read(RAX, bits))
	}
	step(RDI)
}

// ReverseBytes is bswap, with First, and movbe.
func ReverseBytes(m Machine, from Operand, bits int) {
	v := m.Keep(m.Read(from, bits))
	e := ir.Int(0)
	for i := 0; i < bits; i += 8 {
		b := word.Shl(word.And(word.Shr(v, i), ir.Int(255)), bits-8-i)
		if i == 0 {
			e = b
		} else {
			e = word.Or(e, b)
		}
	}
	m.Write(First, bits, e)
}
