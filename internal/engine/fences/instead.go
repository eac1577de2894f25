package fences

import (
	"cmp"
	"context"
	"slices"

	"fencepost/internal/ir"
)

// Other sites for the fences of a set. A reader who does not like a site wants to know the next best ones, and what
// they cost. A fence can replace another if the set hits all clauses with it, and the check finds nothing.

const (
	// mostInstead is how many other sites are listed per fence, and mostTried how many are tried.
	mostInstead = 3
	mostTried   = 6
	// mostStatesInstead is how many states the check of the set may have had, and how many the check of another site may
	// have: more are not searched through for sites that the user has not asked about. That the check of the set was
	// small says little, since the filters may decide about the set and not about the other site.
	mostStatesInstead = 20_000
)

// instead finds other sites for every fence of a set.
func (r *run) instead(ctx context.Context, set []int) error {
	if r.out.Status != Good || r.confirmed > mostStatesInstead {
		return nil
	}
	for i := range set {
		rest := slices.Delete(slices.Clone(set), i, i+1)
		var list []ir.FenceAt
		for k, item := range r.others(rest, set[i]) {
			if k == mostTried || len(list) == mostInstead || ctx.Err() != nil {
				break
			}
			with := append(slices.Clone(rest), item)
			slices.Sort(with)
			found, err := r.checkLimited(ctx, with, mostStatesInstead)
			if err != nil {
				return err
			}
			if found.Status == Good {
				list = append(list, r.items[item])
			}
		}
		r.out.Instead = append(r.out.Instead, list)
	}
	return nil
}

// others returns the items at other sites than a given one that hit, together with the rest of a set, all clauses, the
// best first.
func (r *run) others(rest []int, than int) []int {
	var open [][]int
	for _, c := range r.problem.Clauses {
		if !slices.ContainsFunc(rest, func(item int) bool { return slices.Contains(c, item) }) {
			open = append(open, c)
		}
	}
	var out []int
	for item := range r.items {
		hits := !slices.ContainsFunc(open, func(c []int) bool { return !slices.Contains(c, item) })
		if hits && !slices.Contains(rest, item) && r.items[item].Site != r.items[than].Site {
			out = append(out, item)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(r.problem.Costs[a], r.problem.Costs[b]) })
	return out
}

// CanReplace reports whether a fence can replace one fence of a set, as far as clauses tell.
func CanReplace(clauses [][]ir.FenceAt, set []ir.FenceAt, which int, by ir.FenceAt) bool {
	return !slices.ContainsFunc(clauses, func(c []ir.FenceAt) bool {
		hit := slices.Contains(c, by)
		for i, at := range set {
			hit = hit || i != which && slices.Contains(c, at)
		}
		return !hit
	})
}
