package engine

import (
	"fencepost/internal/ir"
)

// A global fence waits for the store buffers of all threads, so a store into a buffer concerns
// other threads. Engines whose reductions and encodings take such a store for a step of its
// thread alone cannot do programs with one.

// globalFence returns the first global fence of a program, nil if there is none.
func globalFence(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Fence && op.Fence == ir.GlobalFence {
				return &f.Edges[i]
			}
		}
	}
	return nil
}

// HasGlobalFence reports whether a program has a global fence.
func HasGlobalFence(p *ir.Program) bool { return globalFence(p) != nil }

// NoGlobalFence returns an error if a program has a global fence.
func NoGlobalFence(name string, p *ir.Program) error {
	if e := globalFence(p); e != nil {
		return &Unsupported{Pos: Pos(e), What: "membarrier is not supported by " + name, Advice: "use check --engine explicit, smc or rf"}
	}
	return nil
}

// GlobalFenceInside returns a global fence inside an atomic section, nil if there is none.
func GlobalFenceInside(p *ir.Program) *ir.Edge {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		inside := insideOf(f)
		for i := range f.Edges {
			if e := &f.Edges[i]; inside[e.From] && e.Op.Kind == ir.Fence && e.Op.Fence == ir.GlobalFence {
				return e
			}
		}
	}
	return nil
}
