package bmc

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/transform"
)

// Estimate returns about how many instructions the formula of a program has: those of each thread,
// once its loops are unrolled, in each round. It builds nothing, so that a caller can decide
// whether the formula is worth building.
func Estimate(p *ir.Program, o Options) float64 {
	o = withDefaults(o)
	total := 0.0
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		loops, arrivals := analysis.NewLoops(f), transform.Arrivals(p, f, o.Unroll)
		for i := range f.Edges {
			e := &f.Edges[i]
			copies := 1.0
			for _, loop := range loops.Around[e.From][:min(len(loops.Around[e.From]), len(loops.Around[e.To]))] {
				copies *= float64(arrivals[loop])
			}
			total += copies
		}
	}
	return total * float64(o.Rounds)
}
