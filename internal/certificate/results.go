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

// perState is the memory that a state takes beside its bytes while a proof is made.
const perState = 80

// search expands all states that begin and the expansion of states reach. reach is set to what they call. It returns the states in
// order. bytes bounds what they take, and most, if it is not 0, how many there are.
func search(ctx context.Context, begin func() error, expand func(key string) error, reach *func(key string) error, bytes int64, most int) ([]string, error) {
	found, todo, taken := map[string]bool{}, []string{}, int64(0)
	*reach = func(key string) error {
		if found[key] {
			return nil
		}
		if taken += int64(len(key)) + perState; bytes > 0 && taken > bytes {
			return fmt.Errorf("%w: more than %d states", ErrTooLarge, len(found))
		}
		if most > 0 && len(found) >= most {
			return fmt.Errorf("%w: whether loops end is certified for at most %d states", ErrTooLarge, most)
		}
		found[key] = true
		todo = append(todo, key)
		return nil
	}
	if err := begin(); err != nil {
		return nil, err
	}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := expand(key); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
