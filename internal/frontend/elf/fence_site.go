package elf

import (
	"cmp"
	"maps"
	"slices"

	"fencepost/internal/ir"
)

// Fences in front of instructions. Jumps to the instruction lead to the fence, as if it had the label. Two functions may
// share an instruction, which the translation has twice: it is one site.

// fence makes the fence that the user asks for in front of an instruction, and the fence site there. Sites are in front
// of accesses to memory, and of calls: the functions of the library have no instructions here.
func (e *emitter) fence(in *inst) {
	if kind := e.p.opt.Fences[in.addr]; kind != ir.FenceUnset {
		op := ir.NewOp(ir.Fence)
		op.Fence = kind
		e.add(op)
	}
	accesses := slices.ContainsFunc(in.Ops, func(op ir.Op) bool { return op.Accesses() })
	if !e.p.opt.Sites || !accesses && !in.isCall() || e.p.madeUp(e.f) {
		return
	}
	to := e.fb.Loc("", e.pos)
	id := e.fb.Edge(e.at, ir.NewOp(ir.Nop), to, e.pos)
	e.at = to
	site := e.p.sites[in.addr]
	if site == nil {
		pos := e.pos
		pos.EndLine, pos.EndCol = pos.Line, pos.Col
		site = &ir.FenceSite{Pos: pos, Before: in.listed}
		e.p.sites[in.addr] = site
	}
	site.Edges = append(site.Edges, id)
}

// madeUp reports whether a function is not in the files, but stands for one that is not defined there.
func (p *program) madeUp(f *function) bool { return p.forwards[f.sym.Name] == f }

// fenceSites returns the fence sites in the order of the listing, and the addresses of their instructions.
func (p *program) fenceSites() (sites []ir.FenceSite, addrs []uint64) {
	addrs = slices.SortedFunc(maps.Keys(p.sites), func(a, b uint64) int {
		return cmp.Compare(p.sites[a].Pos.Line, p.sites[b].Pos.Line)
	})
	for _, addr := range addrs {
		sites = append(sites, *p.sites[addr])
	}
	return sites, addrs
}
