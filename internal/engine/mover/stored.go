package mover

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/verdict"
)

// stored returns the instructions that a stored proof abstracts, and the numbers of the conditions.
func (ab *abstractor) stored(proof *verdict.Proof) (loads []candidate, how []int) {
	for i := range proof.Abstractions {
		a := &proof.Abstractions[i]
		if !a.Found || a.Variant < 1 {
			continue
		}
		for _, c := range ab.pr.Classes {
			for _, x := range c.Actions {
				at := program.DescribeAction(c, x)
				_, may := ab.mayFail(c, x)
				plain := !x.Section && x.First().Op.Kind == ir.Load
				if a.Fails && !may || !a.Fails && !plain || at.Thread != a.Thread || !program.SamePos(at.Pos, a.Pos) {
					continue
				}
				all := ab.sameSource(c, x)
				known := slices.ContainsFunc(loads, func(l candidate) bool { return l[0].a == all[0].a })
				if all[0].a == x && !known && a.Variant <= len(all.family()) {
					loads, how = append(loads, all), append(how, a.Variant-1)
				}
			}
		}
	}
	return loads, how
}

// again tries to prove the program with the invariants and abstractions of a stored proof.
func (pr *prover) again(stored *verdict.Proof) *result {
	r := &result{}
	pr.known.Propose(stored)
	if loads, how := pr.abstractor.stored(stored); len(loads) > 0 {
		all := make([]int, len(loads))
		for i := range all {
			all[i] = i
		}
		r.list, r.found = pr.abstractor.tryAbstraction(loads, all, how)
	}
	if r.found == nil {
		pr.known.DropFalse()
		r.list = pr.movers.table()
	}
	r.checks = pr.checker.checks()
	return r
}
