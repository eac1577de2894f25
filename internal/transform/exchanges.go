package transform

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// exchangesPass is the name of the pass.
const exchangesPass = "exchanges"

// exchanges takes the result away from exchanges whose result is not used. Such an exchange is a store with
// fences before and after it under SC, TSO and PSO (ir.Op.Blind); it still reads memory where that makes a difference:
// it fails on memory that is not there, and a release sequence goes through it.
//
// Properties may look at registers at any time, so nothing is done where they do.
func exchanges(p *ir.Program, opt Options) (*ir.Program, error) {
	if opt.Observed {
		return p, nil
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	for i, f := range p.Funcs {
		if !slices.ContainsFunc(f.Edges, hasResult) {
			continue
		}
		next := *f
		next.Edges = slices.Clone(f.Edges)
		live := analysis.Liveness(f)
		for k := range next.Edges {
			e := &next.Edges[k]
			if hasResult(*e) && (e.Op.Dst == ir.NoReg || !live(e.To, e.Op.Dst)) && (e.Op.Dst2 == ir.NoReg || !live(e.To, e.Op.Dst2)) {
				e.Op.Dst, e.Op.Dst2 = ir.NoReg, ir.NoReg
			}
		}
		out.Funcs[i] = &next
	}
	return &out, nil
}

// hasResult reports whether an edge is an exchange with a result, and without undefined bits in it.
func hasResult(e ir.Edge) bool {
	op := &e.Op
	return op.Kind == ir.RMW && op.RMW == ir.Xchg && op.Undef.Dst == ir.NoReg && (op.Dst != ir.NoReg || op.Dst2 != ir.NoReg)
}
