package elf

import (
	"fmt"

	"fencepost/internal/ir"
)

// Accesses to a stack that consists of registers, one for each of its pieces.

// piece returns the register that stands for a piece of the stack.
func (e *emitter) piece(s slot) ir.Reg {
	if have, ok := e.slots[s]; ok {
		return have
	}
	e.slots[s] = e.fb.Reg(fmt.Sprintf("stack%d", s.off), 0, e.pos)
	return e.slots[s]
}

// fromStack returns the value of some bytes of the stack.
func (e *emitter) fromStack(s slot) *ir.Expr {
	var value *ir.Expr
	for _, p := range e.f.frame.piecesOf(s) {
		part := ir.R(e.piece(p))
		if p.off > s.off {
			part = ir.Binary(ir.Or, ir.U64, value, ir.Binary(ir.Shl, ir.U64, part, ir.Int(8*(p.off-s.off))))
		}
		value = part
	}
	return value
}

// toStack gives some bytes of the stack a value.
func (e *emitter) toStack(s slot, value *ir.Expr) {
	pieces := e.f.frame.piecesOf(s)
	for _, p := range pieces {
		part := value
		if len(pieces) > 1 { // none of them has 8 bytes
			part = ir.Binary(ir.Shr, ir.U64, part, ir.Int(8*(p.off-s.off)))
			part = ir.Binary(ir.And, ir.U64, part, ir.Int(1<<(8*p.size)-1))
		}
		e.add(assign(e.piece(p), part))
	}
}

// slotAccess is an access to a stack that consists of registers. A locked instruction is a fence still.
func (e *emitter) slotAccess(op *ir.Op, s slot) {
	switch op.Kind {
	case ir.Load:
		e.add(assign(e.reg(op.Dst), e.fromStack(s)))
	case ir.Store:
		e.toStack(s, e.expr(op.Val))
	case ir.RMW:
		fence := ir.NewOp(ir.Fence)
		fence.Fence = ir.FullFence
		e.add(fence)
		old, val := e.reg(op.Dst), e.expr(op.Val)
		e.add(assign(old, e.fromStack(s)))
		bin := map[ir.RMWKind]ir.ExprOp{ir.FetchAdd: ir.Add, ir.FetchAnd: ir.And, ir.FetchOr: ir.Or, ir.FetchXor: ir.Xor}
		switch op.RMW {
		case ir.Xchg:
			e.toStack(s, val)
		case ir.Cas:
			same := ir.Binary(ir.Eq, ir.U64, ir.R(old), val)
			e.add(assign(e.reg(op.Dst2), same))
			e.toStack(s, ir.Conditional(ir.R(e.reg(op.Dst2)), e.expr(op.Val2), ir.R(old)))
		default:
			e.toStack(s, ir.Binary(bin[op.RMW], op.Type, ir.R(old), val))
		}
	default:
		panic("BUG: an access to the stack of an unknown kind")
	}
}
