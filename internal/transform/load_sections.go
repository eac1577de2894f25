//go:build !fencepost_small

package transform

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Sections that only load drain nothing, which most engines do not take. Where no store of the thread
// can be in its buffer, such a section is one like all others.

const loadSectionsPass = "load-sections"

// loadSections is the pass.
func loadSections(p *ir.Program, _ Options) (*ir.Program, error) {
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	for id, f := range p.Funcs {
		if !slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.Op.Loads }) {
			continue
		}
		g := f.Copy()
		pending := pendingStores(f)
		for i := range g.Edges {
			if e := &g.Edges[i]; e.Op.Loads && !pending[e.From] {
				e.Op.Loads = false
			}
		}
		out.Funcs[id] = g
	}
	out.Seal()
	return &out, nil
}

// pendingStores reports, by location, whether a store or a free may be in the buffer there.
func pendingStores(f *ir.Func) []bool {
	pending := make([]bool, len(f.Locs))
	inside, err := ir.SectionLocs(f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		if k := e.Op.Kind; inside[e.From] || k != ir.Store && k != ir.Free || pending[e.To] {
			continue
		}
		for l, yes := range analysis.Undrained(f, e.To, nil) {
			pending[l] = pending[l] || yes
		}
	}
	return pending
}
