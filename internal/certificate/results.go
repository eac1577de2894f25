package certificate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// Results returns the values of variables in all final states of a program under SC, by the rules. The error is a *Refuted
// if a check fails. whole says that no bound cut an execution off.
func Results(ctx context.Context, p *ir.Program, vars []property.Var) (results [][]int64, whole bool, err error) {
	props := &property.Set{Checks: true}
	x, err := replay.NewStepper(p, props, replay.SC)
	if err != nil {
		return nil, false, err
	}
	c := &closure{x: x, localRunner: newLocalRunner(x, p, props, false), covered: Covered{Cut: map[ir.EdgeID]bool{}}}
	var reach func(key string) error
	c.reach = func(s replay.State) error { return reach(x.Encode(s)) }
	found := map[string][]int64{}
	_, err = search(ctx, c.begin, func(key string) error {
		s, err := x.Decode(key)
		if err != nil {
			return err
		}
		if values, final := x.Values(s, vars); final {
			found[fmt.Sprint(values)] = values
		}
		return c.expand(s)
	}, &reach, 0, 0)
	if err != nil {
		return nil, false, err
	}
	for _, k := range slices.Sorted(maps.Keys(found)) {
		results = append(results, found[k])
	}
	return results, len(c.covered.Cut) == 0, nil
}
