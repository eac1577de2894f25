package bmc

import (
	"slices"

	"fencepost/internal/engine"
)

// Final states.

// finals lists the final states. Each one is excluded from the formula when it is found, until
// there are no more. No question can come after this, since the final states stay excluded.
func (r *run) finals() error {
	ended, observed := r.x.asker.ended(), r.x.asker.vars(r.props.Observe)
	for {
		found, err := r.solve(ended)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		var values []int64
		memo := map[gate]bool{}
		other := []gate{ended.not()}
		for _, w := range observed {
			v := r.x.c.number(r.solver.Value, w, memo)
			values = append(values, v)
			for i, g := range w.bits {
				other = append(other, g^gate(v>>i&1))
			}
		}
		r.out.Finals = append(r.out.Finals, engine.FormatFinal(r.props.Observe, values))
		r.x.c.assert(other...)
	}
	slices.Sort(r.out.Finals)
	r.out.Stats.FinalStates = int64(len(r.out.Finals))
	return nil
}
