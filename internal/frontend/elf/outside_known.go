package elf

import (
	"fencepost/internal/ir"
)

// Addresses that need no guard. Most accesses go to the frame, or near an address that was accessed shortly before.
// A stretch of an address that is not known is so long that an access near an address outside of it is outside, too, or
// in no object at all.

// trust says what is known of the address in a register.
type trust uint8

const (
	untried trust = iota
	tried         // not in a stretch of an address that is not known
	framed        // in the frame
)

// near is how far an access may be from an address that was tried.
const near = outsideSpan / 8

// trusted has what is known of the registers of a function, by location; nil: control does not come there.
type trusted [][]trust

// trustedRegisters finds what is known of the registers of a function, before guards are added to it.
func trustedRegisters(f *ir.Func) trusted {
	at := make(trusted, len(f.Locs))
	from := make([][]int32, len(f.Locs))
	for i := range f.Edges {
		from[f.Edges[i].From] = append(from[f.Edges[i].From], int32(i))
	}
	at[f.Entry] = make([]trust, len(f.Regs))
	work := []ir.Loc{f.Entry}
	waits := make([]bool, len(f.Locs))
	for len(work) > 0 {
		l := work[len(work)-1]
		work, waits[l] = work[:len(work)-1], false
		for _, i := range from[l] {
			e := &f.Edges[i]
			if e.Op.Terminal() || !at.meet(e.To, at[l], &e.Op) || waits[e.To] {
				continue
			}
			work, waits[e.To] = append(work, e.To), true
		}
	}
	return at
}

// meet takes into account that control comes to a location after an operation, and reports whether less is known of the
// location than before.
func (t trusted) meet(to ir.Loc, before []trust, op *ir.Op) bool {
	after := append([]trust(nil), before...)
	if r, ok := nearRegister(op.Addr); ok {
		after[r] = max(after[r], tried)
	}
	level := untried
	switch {
	case op.Kind == ir.Alloc && op.Block.Stack:
		level = framed
	case op.Kind == ir.Assign:
		if r, ok := nearRegister(op.Val); ok {
			level = after[r]
		}
	}
	op.Defs(func(r ir.Reg) { after[r] = untried })
	if op.Dst != ir.NoReg {
		after[op.Dst] = level
	}
	if t[to] == nil {
		t[to] = after
		return true
	}
	less := false
	for r, level := range after {
		if level < t[to][r] {
			t[to][r], less = level, true
		}
	}
	return less
}

// of returns what is known of an address where an edge begins. Locations that guards have added are not known.
func (t trusted) of(l ir.Loc, addr *ir.Expr) trust {
	if r, ok := nearRegister(addr); ok && int(l) < len(t) && t[l] != nil {
		return t[l][r]
	}
	return untried
}

// nearRegister returns the register that an address is near.
func nearRegister(addr *ir.Expr) (ir.Reg, bool) {
	switch {
	case addr == nil:
		return ir.NoReg, false
	case addr.Op == ir.RegRef:
		return addr.Reg, true
	case (addr.Op == ir.Add || addr.Op == ir.Sub) && addr.Type.Bits == 64 && addr.X.Op == ir.RegRef:
		c, ok := addr.Y.IsConst()
		return addr.X.Reg, ok && c > -near && c < near
	}
	return ir.NoReg, false
}
