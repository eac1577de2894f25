package mover

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Stored proofs. A proof lists the invariants that were found. Which they are is told by their form and
// their text: the same conditions are proposed as in a search, and of these only the ones that the stored
// proof has. They are proved as any others, so that a stored proof that was changed proves nothing that
// is wrong. What takes time is left out: instances, and most proposals.

// report returns the invariants.
func (k *knowledge) report() []verdict.ProofInvariant {
	var out []verdict.ProofInvariant
	number := func(c *class) int { return slices.Index(k.pr.classes, c) }
	add := func(c *class, l ir.Loc, p *pred) {
		inv := verdict.ProofInvariant{Cond: p.text, Found: p.given == nil, Fails: p.fails, State: p.state}
		form := &verdict.ProofForm{Kind: verdict.FormGlobal}
		if c != nil {
			inv.Thread = c.name
			if pos := c.f.Locs[l].Pos; pos.IsValid() {
				inv.Pos = spanPos(pos)
			}
			form = &verdict.ProofForm{Kind: verdict.FormLocal, Class: number(c), Loc: int(l)}
		}
		if p.given != nil {
			inv.Pos = spanPos(*p.given)
		} else {
			inv.Form = form
		}
		out = append(out, inv)
	}
	for _, p := range k.failed {
		add(nil, 0, p)
	}
	for _, p := range k.global {
		add(nil, 0, p)
	}
	for _, lk := range k.locks {
		out = append(out, verdict.ProofInvariant{Cond: k.pr.name(lk.region) + " is a lock, which one thread holds at a time", Found: true,
			Form: &verdict.ProofForm{Kind: verdict.FormLock, Variables: []int{lk.region}}})
	}
	for _, f := range k.pairs {
		if slices.ContainsFunc(f.separations, func(row []bool) bool { return slices.Contains(row, true) }) {
			out = append(out, verdict.ProofInvariant{Cond: f.text(), Found: true, Form: f.form(number)})
		}
	}
	for _, ct := range k.counts {
		out = append(out, verdict.ProofInvariant{Cond: ct.text(k.pr), Found: true, Form: ct.form(k.pr.classes)})
	}
	for _, c := range k.pr.classes {
		for l, list := range k.local[c] {
			for _, p := range list {
				add(c, ir.Loc(l), p)
			}
		}
	}
	return out
}

func (f *pairFact) form(number func(*class) int) *verdict.ProofForm {
	form := &verdict.ProofForm{Kind: verdict.FormPair, Class: number(f.c), With: number(f.d)}
	if !f.excludes() {
		form.Registers = []int{int(f.r), int(f.s)}
	}
	for l, row := range f.separations {
		for n, apart := range row {
			if apart {
				form.Pairs = append(form.Pairs, [2]int{l, n})
			}
		}
	}
	return form
}

func (ct *count) form(classes []*class) *verdict.ProofForm {
	form := &verdict.ProofForm{Kind: verdict.FormCount, Variables: []int{ct.x}}
	if ct.y >= 0 {
		form.Variables = append(form.Variables, ct.y)
	}
	for _, c := range classes {
		at := []int{}
		for l, w := range ct.weight[c] {
			for range w { // a location as often as a thread there counts
				at = append(at, l)
			}
		}
		form.Counted = append(form.Counted, at)
	}
	return form
}

// again tries to prove the program with the invariants and abstractions of a stored proof.
func (pr *prover) again(stored *verdict.Proof) *result {
	r := &result{}
	propose(pr.known, stored)
	if loads, how := pr.abstractor.stored(stored); len(loads) > 0 {
		all := make([]int, len(loads))
		for i := range all {
			all[i] = i
		}
		r.list, r.found = pr.abstractor.tryAbstraction(loads, all, how)
	}
	if r.found == nil {
		pr.known.dropFalse()
		r.list = pr.movers.table()
	}
	r.checks = pr.checker.checks()
	return r
}

// stored returns the instructions that a stored proof abstracts, and the numbers of the conditions.
func (ab *abstractor) stored(proof *verdict.Proof) (loads []candidate, how []int) {
	for i := range proof.Abstractions {
		a := &proof.Abstractions[i]
		if !a.Found || a.Variant < 1 {
			continue
		}
		for _, c := range ab.pr.classes {
			for _, x := range c.acts {
				at := placed(c, x)
				_, may := ab.mayFail(c, x)
				plain := !x.section && x.first().Op.Kind == ir.Load
				if a.Fails && !may || !a.Fails && !plain || at.Thread != a.Thread || !samePos(at.Pos, a.Pos) {
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

func samePos(x, y *verdict.Pos) bool { return x == y || x != nil && y != nil && *x == *y }

// propose adds the conditions of a stored proof to the proposals.
func propose(k *knowledge, stored *verdict.Proof) {
	numbers, scalars := constantsOf(k.pr), k.scalars()
	k.findSets(scalars)
	k.findLocks()
	k.locks = slices.DeleteFunc(k.locks, func(lk *lock) bool {
		return !slices.ContainsFunc(stored.Invariants, func(inv verdict.ProofInvariant) bool {
			return inv.Form != nil && inv.Form.Kind == verdict.FormLock && slices.Contains(inv.Form.Variables, lk.region)
		})
	})
	wanted := map[standing]map[string]bool{}
	for i := range stored.Invariants {
		inv := &stored.Invariants[i]
		f := inv.Form
		if f == nil || f.Class < 0 || f.Class >= len(k.pr.classes) {
			continue
		}
		at := standing{k.pr.classes[f.Class], ir.Loc(f.Loc)}
		switch f.Kind {
		case verdict.FormPair:
			proposePair(k, f)
			continue
		case verdict.FormCount:
			proposeCount(k, f)
			continue
		case verdict.FormGlobal:
			at = standing{}
		case verdict.FormLock:
			continue
		}
		if wanted[at] == nil {
			wanted[at] = map[string]bool{}
		}
		wanted[at][inv.Cond] = true
	}
	choose := func(list []*pred, at standing) []*pred {
		return slices.DeleteFunc(list, func(p *pred) bool { return p.given == nil && !wanted[at][p.text] })
	}
	for _, x := range scalars {
		k.global = append(k.global, choose(k.onVariable(x, numbers), standing{})...)
	}
	k.global = append(k.global, choose(k.onPairs(scalars), standing{})...)
	k.global = append(k.global, choose(append(onBlocks(k), onFields(k)...), standing{})...)
	g := newClauseGrammar(k, scalars)
	k.global = unlessThere(k.global, g.stored(g.always(), wanted[standing{}]))
	k.global = unlessThere(k.global, choose(g.rings(), standing{}))
	k.spread()
	for _, c := range k.pr.classes {
		for l := range c.f.Locs {
			at := standing{c, ir.Loc(l)}
			k.local[c][l] = choose(k.local[c][l], at)
			if len(wanted[at]) == 0 || c.skips(at.l) {
				continue
			}
			list := append(k.atLocation(c, at.l, scalars, numbers, few), k.atLocation(c, at.l, scalars, numbers, many)...)
			list = slices.Concat(list, k.onTickets(c, at.l, scalars), onContents(k, c, at.l), unpublished(k, c, at.l))
			k.local[c][l] = unlessThere(k.local[c][l], choose(list, at))
			k.local[c][l] = unlessThere(k.local[c][l], g.stored(g.at(c, at.l), wanted[at]))
			k.local[c][l] = unlessThere(k.local[c][l], choose(g.fillingAt(c, at.l), at))
		}
	}
}

// unlessThere adds conditions that a list does not have. What the user has stated may be found as well, and is listed twice then.
func unlessThere(list, more []*pred) []*pred {
	for _, p := range more {
		if !slices.ContainsFunc(list, func(q *pred) bool { return q.given == nil && q.text == p.text }) {
			list = append(list, p)
		}
	}
	return list
}

// proposePair adds a fact about two threads. One that does not fit the program is left out.
func proposePair(k *knowledge, f *verdict.ProofForm) {
	if f.With < 0 || f.With >= len(k.pr.classes) {
		return
	}
	c, d := k.pr.classes[f.Class], k.pr.classes[f.With]
	fact := &pairFact{c: c, d: d, r: ir.NoReg, s: ir.NoReg, separations: matrix(c, d, false)}
	if len(f.Registers) > 0 {
		if len(f.Registers) != 2 || f.Registers[0] < 0 || f.Registers[0] >= len(c.f.Regs) || f.Registers[1] < 0 || f.Registers[1] >= len(d.f.Regs) {
			return
		}
		fact.r, fact.s = ir.Reg(f.Registers[0]), ir.Reg(f.Registers[1])
	}
	for _, p := range f.Pairs {
		l, n := p[0], p[1]
		if l < 0 || l >= len(c.f.Locs) || n < 0 || n >= len(d.f.Locs) || !k.separable(c, ir.Loc(l), d, ir.Loc(n)) {
			return
		}
		fact.separations[l][n] = true
	}
	if c != d || c.many {
		k.pairs = append(k.pairs, fact)
	}
}

// proposeCount adds a count. One that does not fit the program is left out.
func proposeCount(k *knowledge, f *verdict.ProofForm) {
	single := func(x int) bool { return x >= 0 && x < len(k.pr.regions) && k.pr.isSingle(x) }
	if len(f.Variables) < 1 || len(f.Variables) > 2 || !single(f.Variables[0]) || len(f.Counted) != len(k.pr.classes) {
		return
	}
	ct := &count{x: f.Variables[0], y: -1, weight: map[*class][]int64{}}
	ct.bits = uint8(8 * k.pr.regions[ct.x].size)
	if len(f.Variables) == 2 {
		ct.y = f.Variables[1]
		if !single(ct.y) || k.pr.regions[ct.y].size != k.pr.regions[ct.x].size {
			return
		}
	}
	for i, c := range k.pr.classes {
		ct.weight[c] = make([]int64, len(c.f.Locs))
		for _, l := range f.Counted[i] {
			if l < 0 || l >= len(c.f.Locs) {
				return
			}
			ct.weight[c][l]++
		}
	}
	if h := ct.heaviest(); h == 0 || h > maxWeight {
		return
	}
	k.counts = append(k.counts, ct)
}
