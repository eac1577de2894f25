package elf

import (
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// parts returns the registers that matter before an instruction, and of them the ones of which more than the lowest byte
// matters: a compiler writes the lowest byte of a register whose other bytes have no value (setnz cl; test cl, cl). What
// an operation reads does not matter if its result does not: dropDead removes it.
func (in *inst) parts(p *program) (live, upper, high regSet) {
	if in.refused != "" {
		return 0, 0, 0
	}
	d := demand{live: in.live, upper: in.upper, high: in.high, whole: in.maybe | in.maybeBefore}
	if in.isCall() {
		d.kill(in.overwrites())
		for i, r := range callRegs {
			if i >= in.arguments(p) || in.pointer || in.callee != nil && !in.callee.reads.has(r) {
				continue
			}
			if r != lift.RAX {
				d.live, d.upper, d.high = d.live|one(r), d.upper|one(r), d.high|one(r)
			} else if in.callee != nil { // its lowest byte
				d.live |= one(r)
			}
		}
	}
	if in.pointer || !in.isCall() {
		d.read(in.Cond, 64)
	}
	for i := len(in.Ops) - 1; i >= 0; i-- {
		d.op(&in.Ops[i])
	}
	if in.Guard != nil {
		d.live, d.upper, d.high = d.live|in.live, d.upper|in.upper, d.high|in.high
	}
	for _, t := range in.keeps {
		d.read(t.offset, 64)
	}
	d.read(in.Guard, 64)
	d.read(in.Needs, 64)
	return d.live, d.upper, d.high
}

// demand has the registers that matter at a point inside an instruction: upper are the registers of which more than the
// lowest byte matters, high those of which more than the lowest two bytes do. temps, upperTemps and highTemps are the
// same for registers that only the instruction uses. Of the registers in whole, which may be arguments, all bytes may
// matter.
type demand struct {
	live, upper, high            regSet
	whole                        regSet
	temps, upperTemps, highTemps tempSet
}

func (d *demand) kill(regs regSet) {
	d.live, d.upper, d.high = d.live&^regs, d.upper&^regs, d.high&^regs
}

// op goes back over an operation.
func (d *demand) op(op *ir.Op) {
	bits := 64
	if op.Kind == ir.Store {
		bits = int(op.Type.Bits)
	}
	if op.Kind == ir.Assign {
		if kept, field, ok := merges(op); ok {
			r := one(op.Dst)
			was, more, most := d.live&r, d.upper&r, d.high&r
			d.kill(r)
			if kept>>16 != 0 {
				d.live, d.upper, d.high = d.live|most, d.upper|most, d.high|most
			}
			if kept>>8&0xff != 0 {
				d.live, d.upper = d.live|more, d.upper|more
			}
			if kept&0xff != 0 {
				d.live |= was
			}
			d.read(field, 64)
			return
		}
		if op.Dst >= lift.CF && !d.live.has(op.Dst) && !d.temps.has(op.Dst) {
			return
		}
		bits = d.bitsOf(op.Dst)
	}
	op.Defs(func(r ir.Reg) {
		d.kill(one(r))
		d.temps.set(r, false)
		d.upperTemps.set(r, false)
		d.highTemps.set(r, false)
	})
	d.read(op.Addr, 64)
	d.read(op.Val, bits)
	d.read(op.Val2, 64)
	d.read(op.Cond, 64)
	for _, a := range op.Call.Args {
		d.read(a, 64)
	}
}

// bitsOf returns how many of the lowest bits of a register matter: 8, 16 or 64.
func (d *demand) bitsOf(r ir.Reg) int {
	switch {
	case !d.live.has(r) && !d.temps.has(r) || (d.high | d.whole).has(r) || d.highTemps.has(r):
		return 64
	case d.upper.has(r) || d.upperTemps.has(r):
		return 16
	}
	return 8
}

// merges reports whether an operation writes a part of a register, and returns the bits that stay, and the others.
func merges(op *ir.Op) (kept uint64, field *ir.Expr, ok bool) {
	if op.Kind != ir.Assign || op.Dst >= lift.Vector || op.Val.Op != ir.Or || op.Val.X.Op != ir.And {
		return 0, nil, false
	}
	old, mask := op.Val.X.X, op.Val.X.Y
	c, isConst := mask.IsConst()
	if !isConst || old.Op != ir.RegRef || old.Reg != op.Dst {
		return 0, nil, false
	}
	return uint64(c), op.Val.Y, true
}

// read adds the registers that an expression reads. Only so many of the lowest bits of its value matter.
func (d *demand) read(e *ir.Expr, bits int) {
	if e == nil {
		return
	}
	switch e.Op {
	case ir.RegRef:
		d.live |= one(e.Reg)
		d.temps.set(e.Reg, true)
		if bits > 8 {
			d.upper |= one(e.Reg)
			d.upperTemps.set(e.Reg, true)
		}
		if bits > 16 {
			d.high |= one(e.Reg)
			d.highTemps.set(e.Reg, true)
		}
		return
	case ir.Cast:
		bits = min(bits, int(e.Type.Bits))
	case ir.And:
		if c, ok := e.Y.IsConst(); ok && c&^0xff == 0 {
			bits = min(bits, 8)
		} else if ok && c&^0xffff == 0 {
			bits = min(bits, 16)
		}
	case ir.Or, ir.Xor, ir.Add, ir.Sub, ir.Mul, ir.BitNot, ir.Neg: // a bit of the result depends on no higher bits
	default:
		bits = 64
	}
	d.read(e.X, bits)
	d.read(e.Y, bits)
	d.read(e.Z, bits)
}
