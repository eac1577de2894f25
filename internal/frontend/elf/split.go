package elf

import (
	"fmt"
	"slices"

	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/ir"
)

// Accesses that cross a boundary of 8 bytes. Processors promise one step only inside an aligned word of 8 bytes
// [Intel SDM 3A §9.1.1; AMD APM 2 §7.3.2]: a load or store that crosses the boundary is split into aligned accesses,
// the lowest address first, as in C. Locked instructions are one step at any address [Intel SDM 3A §9.1.2.2].
//
// Where the lowest bits of the address are not known, the program decides when it runs: there is one way on which the
// access is one step, and one for each position at which it crosses the boundary. In a program with many such accesses
// these ways would be most of the code: there, the address without the displacement of the instruction must be a
// multiple of 4. Compilers copy structures of small members by such accesses.

// maxSplit is how many accesses of a program at unknown addresses are split when it runs.
const maxSplit = 15

// word is the size of the words inside which an access is one step.
const word = 8

// access makes the edges of an access to memory, whose address has the given lowest bits.
func (e *emitter) access(in *inst, op ir.Op, low lowBits, section bool) {
	size := int64(op.Type.Size())
	crossing := crossings(low, size)
	switch {
	case len(crossing) == 0 || section || op.Kind != ir.Load && op.Kind != ir.Store:
		e.finish(op)
	case low.known >= 3:
		e.split(op, translate.Pieces(crossing[0], size))
	default:
		position := ir.Binary(ir.And, ir.U64, op.Addr, ir.Int(word-1))
		from, end := e.at, e.fb.Loc("", e.pos)
		way := func(cond *ir.Expr, parts []translate.Piece) {
			begin := e.fb.Loc("", e.pos)
			e.at = from
			e.assume(cond, begin)
			e.at = begin
			e.split(op, parts)
			e.jump(end)
		}
		way(ir.Binary(ir.Le, ir.U64, position, ir.Int(word-size)), translate.Pieces(0, size))
		if e.p.unaligned > maxSplit {
			usual := slices.DeleteFunc(slices.Clone(crossing), func(at int64) bool { return (at-displacement(op.Addr))%4 != 0 })
			crosses := e.fb.Loc("", e.pos)
			e.at = from
			other := ir.Binary(ir.Gt, ir.U64, position, ir.Int(word-size))
			for _, at := range usual {
				other = ir.Binary(ir.LAnd, ir.S64, other, ir.Binary(ir.Ne, ir.U64, position, ir.Int(at)))
			}
			e.assume(other, crosses)
			e.at = crosses
			e.unsupported(codeInstruction, fmt.Sprintf("%s: an access of %d bytes in a structure that is not at a multiple of 4, across a boundary of 8 bytes, is not supported in a program with more than %d accesses whose alignment is not known", in.Text, size, maxSplit))
			crossing = usual
		}
		for _, at := range crossing {
			way(ir.Binary(ir.Eq, ir.U64, position, ir.Int(at)), translate.Pieces(at, size))
		}
		e.at = end
	}
}

// displacement returns the constant that is added in an address.
func displacement(addr *ir.Expr) int64 {
	if addr.Op == ir.Add {
		if c, ok := addr.Y.IsConst(); ok {
			return c
		}
	}
	return 0
}

// crossings returns the positions in a word at which an access of some size crosses the end of the word, if the lowest
// bits of its address allow them.
func crossings(low lowBits, size int64) []int64 {
	var out []int64
	for at := word - size + 1; at < word; at++ {
		if known := min(low.known, 3); uint8(at)&(1<<known-1) == low.value&(1<<known-1) {
			out = append(out, at)
		}
	}
	return out
}

// split makes the edges of an access in pieces.
func (e *emitter) split(op ir.Op, parts []translate.Piece) {
	if len(parts) == 1 {
		e.finish(op)
		return
	}
	piece := func(p translate.Piece) ir.Op {
		out := op
		out.Type, out.Addr = p.Type, ir.Binary(ir.Add, ir.U64, op.Addr, ir.Int(p.Off))
		if op.Addr.Op == ir.AddrOf {
			out.Addr = ir.Addr(op.Addr.Obj, op.Addr.Value+p.Off)
		}
		if out.Obj != ir.NoObject {
			out.Obj = e.p.data[out.Obj].obj
		}
		return out
	}
	if op.Kind == ir.Store {
		for _, p := range parts {
			out := piece(p)
			out.Val = translate.Cast(ir.Binary(ir.Shr, ir.U64, op.Val, ir.Int(8*p.Off)), ir.U64, p.Type)
			e.add(out)
		}
		return
	}
	value := ir.Int(0)
	for i, p := range parts {
		out := piece(p)
		out.Dst = e.part(i)
		e.add(out)
		value = ir.Binary(ir.Or, ir.U64, value, ir.Binary(ir.Shl, ir.U64, ir.R(out.Dst), ir.Int(8*p.Off)))
	}
	e.add(assign(e.reg(op.Dst), value))
}

// part returns the register for a part of a value. The accesses of a function share them.
func (e *emitter) part(i int) ir.Reg {
	for len(e.parts) <= i {
		e.parts = append(e.parts, e.fb.Reg("part", 0, e.pos))
	}
	return e.parts[i]
}
