package transform

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// PresentFence is a fence statement of a program.
type PresentFence struct {
	Pos     source.Span
	Kind    ir.FenceKind
	Threads []string // the threads that have the fence
}

// PresentFences returns the fences of a flat program that are statements, in the order of
// the source text. It leaves out the fences that belong to another operation, such as a
// release store: they cannot be removed alone.
func PresentFences(p *ir.Program) []PresentFence {
	others := map[source.Span]bool{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if k := f.Edges[i].Op.Kind; k != ir.Fence && k != ir.Nop {
				others[f.Edges[i].Pos] = true
			}
		}
	}
	var out []PresentFence
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind != ir.Fence || others[e.Pos] || !e.Pos.IsValid() {
				continue
			}
			at := slices.IndexFunc(out, func(x PresentFence) bool { return x.Pos == e.Pos })
			if at < 0 {
				at = len(out)
				out = append(out, PresentFence{Pos: e.Pos, Kind: e.Op.Fence})
			}
			if name := p.Threads[t].Name; !slices.Contains(out[at].Threads, name) {
				out[at].Threads = append(out[at].Threads, name)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b PresentFence) int {
		if a.Pos.Before(b.Pos.Pos) {
			return -1
		}
		return 1
	})
	return out
}
