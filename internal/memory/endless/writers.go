package endless

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Writers returns the threads of a flat program whose code writes some of the bytes, and the other threads with an
// operation that may write anywhere.
func Writers(p *ir.Program, addr uint64, size int) (does, may []ir.ThreadID) {
	facts := analysis.NewFacts(p, nil)
	bytes := analysis.Footprint{Ranges: []analysis.Bytes{{Lo: int64(addr), Hi: int64(addr) + int64(size)}}}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		writes, anywhere := false, false
		for i := range f.Edges {
			if e := &f.Edges[i]; mayWrite(&e.Op) {
				foot := facts.Footprint(e)
				writes = writes || !foot.Anything && foot.Overlaps(bytes)
				anywhere = anywhere || foot.Anything
			}
		}
		switch {
		case writes:
			does = append(does, ir.ThreadID(t))
		case anywhere:
			may = append(may, ir.ThreadID(t))
		}
	}
	return does, may
}
