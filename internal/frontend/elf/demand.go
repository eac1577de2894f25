package elf

import (
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// parts returns the registers that matter before an instruction, and of them the ones of which more than the lowest byte
// matters: a compiler writes the lowest byte of a register whose other bytes have no value (setnz cl; test cl, cl). What
// an operation reads does not matter if its result does not: dropDead removes it.
func (in *inst) parts(p *program) (live, upper regSet) {
	if in.refused != "" {
		return 0, 0
	}
	d := demand{live: in.live, upper: in.upper, whole: in.maybe | in.maybeBefore}
	if in.isCall() {
		d.kill(in.defines(p))
		for i, r := range callRegs {
			if i >= in.arguments(p) || in.pointer || in.callee != nil && !in.callee.reads.has(r) {
				continue
			}
			if r != lift.RAX {
				d.live, d.upper = d.live|one(r), d.upper|one(r)
			} else if in.callee != nil { // its lowest byte
				d.live |= one(r)
			}
		}
	}
	if in.pointer || !in.isCall() {
		d.read(in.Cond, false)
	}
	for i := len(in.Ops) - 1; i >= 0; i-- {
		d.op(&in.Ops[i])
	}
	if in.Guard != nil {
		d.live, d.upper = d.live|in.live, d.upper|in.upper
	}
	for _, t := range in.keeps {
		d.read(t.offset, false)
	}
	d.read(in.Guard, false)
	d.read(in.Needs, false)
	return d.live, d.upper
}

// demand has the registers that matter at a point inside an instruction, and those of which more than the lowest byte
// matters; temps and upperTemps are the ones that only the instruction uses. Of the registers in whole, which may be
// arguments, all bytes may matter.
type demand struct {
	live, upper       regSet
	whole             regSet
	temps, upperTemps tempSet
}

func (d *demand) kill(regs regSet) { d.live, d.upper = d.live&^regs, d.upper&^regs }

// op goes back over an operation.
func (d *demand) op(op *ir.Op) {
	low := op.Kind == ir.Store && op.Type.Bits == 8
	if op.Kind == ir.Assign {
		if kept, field, ok := merges(op); ok {
			r := one(op.Dst)
			was, more := d.live&r, d.upper&r
			d.kill(r)
			if kept>>8 != 0 {
				d.live, d.upper = d.live|more, d.upper|more
			}
			if kept&0xff != 0 {
				d.live |= was
			}
			d.read(field, false)
			return
		}
		if op.Dst >= lift.CF && !d.live.has(op.Dst) && !d.temps.has(op.Dst) {
			return
		}
		low = (d.live.has(op.Dst) || d.temps.has(op.Dst)) && !(d.upper | d.whole).has(op.Dst) && !d.upperTemps.has(op.Dst)
	}
	op.Defs(func(r ir.Reg) {
		d.kill(one(r))
		d.temps.set(r, false)
		d.upperTemps.set(r, false)
	})
	d.read(op.Addr, false)
	d.read(op.Val, low)
	d.read(op.Val2, false)
	d.read(op.Cond, false)
	for _, a := range op.Args {
		d.read(a, false)
	}
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

// read adds the registers that an expression reads. low says that only the lowest byte of its value matters.
func (d *demand) read(e *ir.Expr, low bool) {
	if e == nil {
		return
	}
	switch e.Op {
	case ir.RegRef:
		d.live |= one(e.Reg)
		d.temps.set(e.Reg, true)
		if !low {
			d.upper |= one(e.Reg)
			d.upperTemps.set(e.Reg, true)
		}
		return
	case ir.Cast:
		low = low || e.Type.Bits == 8
	case ir.And:
		if c, ok := e.Y.IsConst(); ok && c&^0xff == 0 {
			low = true
		}
	case ir.Or, ir.Xor, ir.Add, ir.Sub, ir.BitNot, ir.Neg: // a byte of the result depends on no higher bytes
	default:
		low = false
	}
	d.read(e.X, low)
	d.read(e.Y, low)
	d.read(e.Z, low)
}
