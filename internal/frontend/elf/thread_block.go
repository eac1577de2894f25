package elf

import (
	"fmt"

	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Addresses of thread-local variables. In an object, code adds the offset of a variable in the block of the thread to
// the address of the block: mov rax, fs:0 and lea rax, [rax+offset], or fs:[rax] after a load of the offset. A relocation
// gives the address of the variable instead of its offset, so that the address of the block is 0 here. It may be copied
// to other registers, and must be used for nothing else. In a linked file the offsets are numbers, and the block has an address: the end of the object that
// holds the variables of a thread.

// Thread resolves the word at the beginning of the block of a thread, which holds its address.
func (p *program) Thread(addr uint64, off int) (*ir.Expr, error) {
	if r, _, ok := p.field(addr, off); r != nil || !ok {
		return nil, nil // a variable
	}
	if block, err := p.Block(addr); block != nil || err != nil {
		return block, err
	}
	p.blockReads[addr] = true
	return ir.Int(0), nil
}

// Block returns the address of the block of a thread of a linked file.
func (p *program) Block(addr uint64) (*ir.Expr, error) {
	if !p.image.Find(addr).Linked {
		return nil, nil
	}
	for _, s := range p.image.Sections {
		if s.TLS && s.Linked {
			if !p.whole[s] && len(p.pieces(s)) > 1 {
				p.whole[s], p.changed = true, true
			}
			return ir.Addr(ir.ObjectID(p.use(p.pieces(s)[0])), int64(p.image.ThreadSize)), nil
		}
	}
	return nil, fmt.Errorf("the address of the thread's block is not supported in a linked file without thread-local variables")
}

// threadBlocks refuses instructions that use the address of the block of a thread for something else.
func (p *program) threadBlocks(f *function) {
	type at struct {
		in  *inst
		reg ir.Reg
	}
	seen := map[at]bool{}
	for _, in := range f.order {
		if !p.blockReads[in.addr] || in.refused != "" || len(in.Ops) == 0 || p.image.Find(in.addr).LocalDynamic(in.NextAddr()) {
			continue
		}
		todo := []at{}
		walk := func(in *inst, r ir.Reg) {
			for _, n := range in.successors() {
				if !seen[at{n, r}] {
					seen[at{n, r}] = true
					todo = append(todo, at{n, r})
				}
			}
		}
		walk(in, in.Ops[len(in.Ops)-1].Dst)
		for len(todo) > 0 {
			next := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if next.in.refused != "" {
				continue
			}
			kept := true
			for i := range next.in.Ops {
				op := &next.in.Ops[i]
				if kept && op.Kind == ir.Assign && op.Dst < lift.Vector && op.Val.Op == ir.RegRef && op.Val.Reg == next.reg { // a copy
					walk(next.in, op.Dst)
					continue
				}
				op.Uses(func(r ir.Reg) {
					if r == next.reg && kept && !p.hasThreadOffset(next.in) && !p.addsOffset(f, next.in, op, r) {
						next.in.refused = next.in.Text + ": this use of the address of the thread's block is not supported"
						next.in.code = codeFlow
					}
				})
				op.Defs(func(r ir.Reg) { kept = kept && r != next.reg })
			}
			if next.in.isCall() && volatileRegs.has(next.reg) {
				kept = false
			}
			if kept {
				walk(next.in, next.reg)
			}
		}
	}
}

// hasThreadOffset reports whether a field of an instruction is the offset of a thread-local variable.
func (p *program) hasThreadOffset(in *inst) bool {
	sec := p.image.Find(in.addr)
	for off := range in.Bytes {
		if r := sec.RelocAt(in.addr - sec.Addr + uint64(off)); r != nil && (r.Kind == object.TPOff32 || r.Kind == object.TPOff64 || r.Kind == object.GOTTPOff32) {
			return true
		}
	}
	return false
}

// addsOffset reports whether an operation does nothing with the address of the block but to add the offset of a variable,
// which another register holds.
func (p *program) addsOffset(f *function, in *inst, op *ir.Op, block ir.Reg) bool {
	if op.Kind != ir.Assign {
		return false
	}
	uses, sums := 0, 0
	op.Uses(func(r ir.Reg) {
		if r == block {
			uses++
		}
	})
	op.Val.Walk(func(e *ir.Expr) {
		if e.Op != ir.Add || e.X.Op != ir.RegRef || e.Y.Op != ir.RegRef {
			return
		}
		one, other := e.X.Reg, e.Y.Reg
		if one != block {
			one, other = other, one
		}
		if held := f.constant(in, other); one == block && other != block && held != nil && held.Op == ir.AddrOf && p.data[held.Obj].sec.TLS {
			sums++
		}
	})
	return uses == 1 && sums == 1
}
