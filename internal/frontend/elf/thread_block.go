package elf

import (
	"fmt"

	"fencepost/internal/frontend/elf/object"
	"fencepost/internal/ir"
)

// Addresses of thread-local variables: mov rax, fs:0 and lea rax, [rax+offset]. A relocation gives the address of the
// variable instead of its offset in the block of the thread, so that the address of the block is 0 here. It must be
// used for nothing else.

// Thread resolves the address of the block of a thread.
func (p *program) Thread(addr uint64, off int) (*ir.Expr, error) {
	switch r, _, ok := p.field(addr, off); {
	case r != nil || !ok:
		return nil, nil // a variable
	case p.image.Find(addr).Linked:
		return nil, fmt.Errorf("the address of the thread's block is not supported in a linked file")
	}
	p.blockReads[addr] = true
	return ir.Int(0), nil
}

// threadBlocks refuses instructions that use the address of the block of a thread for something else.
func (p *program) threadBlocks(f *function) {
	type at struct {
		in  *inst
		reg ir.Reg
	}
	seen := map[at]bool{}
	for _, in := range f.order {
		if !p.blockReads[in.addr] || in.refused != "" || len(in.Ops) == 0 {
			continue
		}
		todo := []at{}
		walk := func(in *inst, r ir.Reg) {
			for _, n := range in.next {
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
				op.Uses(func(r ir.Reg) {
					if r == next.reg && kept && !p.hasThreadOffset(next.in) {
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
		if r := sec.RelocAt(in.addr - sec.Addr + uint64(off)); r != nil && (r.Kind == object.TPOff32 || r.Kind == object.TPOff64) {
			return true
		}
	}
	return false
}
