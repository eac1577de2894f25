package endless

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Writers returns the threads of a flat program whose code writes some of the bytes. It leaves out
// operations that may write anywhere.
func Writers(p *ir.Program, addr uint64, size int) []ir.ThreadID {
	facts := analysis.NewFacts(p, nil)
	bytes := analysis.Footprint{Ranges: []analysis.Bytes{{Lo: int64(addr), Hi: int64(addr) + int64(size)}}}
	var out []ir.ThreadID
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if foot := facts.Footprint(e); mayWrite(&e.Op) && !foot.Anything && foot.Overlaps(bytes) {
				out = append(out, ir.ThreadID(t))
				break
			}
		}
	}
	return out
}
