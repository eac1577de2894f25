package fences

import (
	"context"
	"fmt"

	"fencepost/verdict"
)

// cheapest returns the sets to list: of the cheapest sets that hit all clauses the weakest.
func (r *run) cheapest(ctx context.Context) (sets [][]int, more bool, err error) {
	p := r.problem
	p.Costs = r.listed
	return p.All(ctx, mostOptimal)
}

// all finds every cheapest set. It checks the cheapest sets that hit all clauses. A set that does
// not repair the program yields further clauses.
func (r *run) all(ctx context.Context) error {
	good := map[string]bool{}
	for {
		sets, more, err := r.cheapest(ctx)
		if err != nil {
			r.out.Warnings = append(r.out.Warnings, verdict.Warning{
				Code: "FP0920", Message: "not every cheapest set is listed: " + timeOver(ctx),
			})
			return nil
		}
		learned := false
		for _, set := range sets {
			key := fmt.Sprint(set)
			if good[key] {
				continue
			}
			found, err := r.check(ctx, set)
			if err != nil {
				return err
			}
			switch found.Status {
			case Good:
				good[key] = true
			case Bad:
				if _, err := r.learn(set, found); err != nil {
					return err
				}
				learned = true
			default:
				r.out.Warnings = append(r.out.Warnings, verdict.Warning{
					Code: "FP0920", Message: "not every cheapest set is listed: " + found.Reason,
				})
				return nil
			}
			if learned {
				break
			}
		}
		if learned {
			continue
		}
		r.out.More = more
		for _, set := range sets {
			r.out.All = append(r.out.All, r.fences(set))
		}
		return nil
	}
}
