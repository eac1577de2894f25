package program

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Clone copies a program with its instructions, which a proof may change.
func Clone(p *ir.Program) *ir.Program {
	q := *p
	q.Funcs = make([]*ir.Func, len(p.Funcs))
	for i, f := range p.Funcs {
		g := *f
		g.Edges = append([]ir.Edge(nil), f.Edges...)
		g.Regs = append([]ir.Register(nil), f.Regs...)
		g.Locs = append([]ir.Location(nil), f.Locs...)
		q.Funcs[i] = &g
	}
	q.Seal()
	return &q
}

// Refuse returns the error that proofs do not cover an instruction.
func Refuse(e *ir.Edge, format string, args ...any) error {
	u := &engine.Unsupported{What: "prove: " + fmt.Sprintf(format, args...)}
	if e != nil {
		u.Pos = engine.Pos(e)
	}
	return u
}

// Reachable returns which locations can be reached from one.
func Reachable(f *ir.Func, from ir.Loc) []bool {
	return analysis.Reachable(f, from, func(*ir.Edge) bool { return true })
}

// passName is the name of the preparation in the edges that it makes.
const passName = "mover"
