//go:build !fencepost_small

package check

import (
	"context"
	"errors"

	"fencepost/internal/certificate"
	"fencepost/internal/solver/sat"
)

// refuter returns the solver for proofs by clauses. memory bounds what it uses; 0: no bound.
func refuter(memory int64) certificate.Refuter {
	return func(ctx context.Context, clauses [][]int32, step func([]int32, []int) error) (func(int32) bool, error) {
		s, proof := sat.NewEmbedded(), &sat.Proof{}
		s.Limit(memory)
		s.Log(proof)
		for _, c := range clauses {
			s.Add(literals(c)...)
		}
		status, err := s.Solve(ctx)
		switch {
		case err != nil:
			return nil, err
		case status == sat.Sat:
			return func(l int32) bool { return s.Value(sat.Lit(l)) }, nil
		case status != sat.Unsat:
			return nil, errors.New("the solver did not finish: " + status.String())
		}
		return nil, proof.Steps(ctx, nil, func(c []sat.Lit, hints []int) error {
			out := make([]int32, len(c))
			for i, l := range c {
				out[i] = int32(l)
			}
			return step(out, hints)
		})
	}
}

func literals(c []int32) []sat.Lit {
	out := make([]sat.Lit, len(c))
	for i, l := range c {
		out[i] = sat.Lit(l)
	}
	return out
}
