package mover

import (
	"context"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
)

// FalseFacts proves a program and returns the inferred invariants that are false in a state of an
// instance with sizes threads per template, and how often an invariant was compared with a state.
func FalseFacts(ctx context.Context, p *ir.Program, props *property.Set, opt Options, reach Reach, sizes ...int) (bad []string, compared int, err error) {
	solver, err := smt.Start(ctx, queryLimit)
	if err != nil {
		return nil, 0, err
	}
	defer solver.Close()
	pr := &prover{ctx: ctx, solver: solver}
	if err := pr.prepare(clone(p), props, opt); err != nil {
		return nil, 0, err
	}
	if _, err := pr.prove(opt); err != nil {
		return nil, 0, err
	}
	told := map[*pred]bool{}
	for _, n := range sizes {
		in := pr.known.instance(n)
		in.each(ctx, reach, func(s State, threads []ir.ThreadID) {
			st := &concrete{State: s}
			try := func(list []*pred, where string) {
				for _, p := range list {
					if p.holds == nil {
						continue
					}
					if compared++; !p.holds(st) && !told[p] {
						told[p] = true
						bad = append(bad, where+": "+p.text)
					}
				}
			}
			try(pr.known.global, "always")
			for _, t := range threads {
				l, _ := s.At(t)
				st.thread = t
				try(pr.known.local[in.of[t]][l], in.of[t].name+" at "+in.of[t].f.Locs[l].Name)
			}
		})
	}
	return bad, compared, nil
}
