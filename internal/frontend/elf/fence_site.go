package elf

import (
	"cmp"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Fences in front of instructions. Jumps to the instruction lead to the fence, as if it had the label.
//
// A fence is written into the source, and the compiler copies it with the text around it: where it inlines a function,
// unrolls a loop, or makes several functions of a template. So a site is a position in the source (file, line and column), and
// stands in front of all instructions of that position. Without debug information every instruction is a site. Two functions may
// share an instruction, which the translation has twice: it is one site, too. A position in a library is not the user's to change.

// siteKey is a position in the source, or an address where the source is not known.
type siteKey struct {
	file      string
	line, col int
	addr      uint64
}

// fenceSite is a fence site with the addresses of its instructions, in the order of the listing.
type fenceSite struct {
	ir.FenceSite
	addrs []uint64
}

// fence makes the fence that the user asks for in front of an instruction, and the fence site there. Sites are in front
// of accesses to memory, and of calls: the functions of the library have no instructions here.
func (e *emitter) fence(in *inst) {
	if kind := e.p.opt.fences[in.addr]; kind != ir.FenceUnset {
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
	site := e.p.siteOf(e.f, in)
	site.Edges = append(site.Edges, id)
	if slices.Contains(site.addrs, in.addr) {
		return
	}
	pos := e.pos
	pos.EndLine, pos.EndCol = pos.Line, pos.Col
	site.addrs = append(site.addrs, in.addr)
	site.Instructions = append(site.Instructions, pos)
	if len(site.addrs) == 1 || pos.Before(site.Pos.Pos) {
		site.Pos, site.Before = pos, in.listed
	}
}

// siteOf returns the site of an instruction.
func (p *program) siteOf(f *function, in *inst) *fenceSite {
	at, _, _ := p.sourceAt(f, in.addr)
	key := siteKey{file: at.File, line: at.Line, col: at.Col}
	if at.Line == 0 || at.File == "" {
		key = siteKey{addr: in.addr}
	}
	if p.sites[key] == nil {
		p.sites[key] = &fenceSite{FenceSite: ir.FenceSite{ReadOnly: isLibrary(key.file)}}
	}
	return p.sites[key]
}

// madeUp reports whether a function is not in the files, but stands for one that is not defined there.
func (p *program) madeUp(f *function) bool { return p.forwards[f.sym.Name] == f }

// fenceSites returns the fence sites in the order of the listing, and the addresses of their instructions.
func (p *program) fenceSites() (sites []ir.FenceSite, addrs [][]uint64) {
	var all []*fenceSite
	for _, site := range p.sites {
		all = append(all, site)
	}
	slices.SortFunc(all, func(a, b *fenceSite) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	for _, site := range all {
		slices.SortFunc(site.Instructions, func(a, b source.Span) int { return cmp.Compare(a.Line, b.Line) })
		sites, addrs = append(sites, site.FenceSite), append(addrs, site.addrs)
	}
	return sites, addrs
}
