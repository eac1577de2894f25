package invariant

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/verdict"
)

// Stored proofs. A proof lists the invariants that were found. Which they are is told by their form and
// their text: the same conditions are proposed as in a search, and of these only the ones that the stored
// proof has. They are proved as any others, so that a stored proof that was changed proves nothing that
// is wrong. What takes time is left out: instances, and most proposals.

// Report returns the invariants.
func (k *Knowledge) Report() []verdict.ProofInvariant {
	var out []verdict.ProofInvariant
	number := func(c *program.Class) int { return slices.Index(k.pr.Classes, c) }
	add := func(c *program.Class, l ir.Loc, p *Condition) {
		inv := verdict.ProofInvariant{Cond: p.text, Found: p.Given == nil, Fails: p.Fails, State: p.state}
		form := &verdict.ProofForm{Kind: verdict.FormGlobal}
		if c != nil {
			inv.Thread = c.Name
			if pos := c.Code.Locs[l].Pos; pos.IsValid() {
				inv.Pos = program.SpanPos(pos)
			}
			form = &verdict.ProofForm{Kind: verdict.FormLocal, Class: number(c), Loc: int(l)}
		}
		if p.Given != nil {
			inv.Pos = program.SpanPos(*p.Given)
		} else {
			inv.Form = form
		}
		out = append(out, inv)
	}
	for _, p := range k.Failed {
		add(nil, 0, p)
	}
	for _, p := range k.global {
		add(nil, 0, p)
	}
	for _, lk := range k.Locks {
		out = append(out, verdict.ProofInvariant{Cond: k.pr.Name(lk.Region) + " is a lock, which one thread holds at a time", Found: true,
			Form: &verdict.ProofForm{Kind: verdict.FormLock, Variables: []int{lk.Region}}})
	}
	for _, f := range k.pairs {
		if slices.ContainsFunc(f.separations, func(row []bool) bool { return slices.Contains(row, true) }) {
			out = append(out, verdict.ProofInvariant{Cond: f.text(), Found: true, Form: f.form(number)})
		}
	}
	for _, ct := range k.counts {
		out = append(out, verdict.ProofInvariant{Cond: ct.text(k.pr), Found: true, Form: ct.form(k.pr.Classes)})
	}
	for _, c := range k.pr.Classes {
		for l, list := range k.Local[c] {
			for _, p := range list {
				add(c, ir.Loc(l), p)
			}
		}
	}
	return out
}

func (f *pairFact) form(number func(*program.Class) int) *verdict.ProofForm {
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

func (ct *count) form(classes []*program.Class) *verdict.ProofForm {
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

// Propose adds the conditions of a stored proof to the proposals.
func (k *Knowledge) Propose(stored *verdict.Proof) {
	numbers, scalars := constantsOf(k.pr), k.scalars()
	k.findSets(scalars)
	k.findLocks()
	k.Locks = slices.DeleteFunc(k.Locks, func(lk *Lock) bool {
		return !slices.ContainsFunc(stored.Invariants, func(inv verdict.ProofInvariant) bool {
			return inv.Form != nil && inv.Form.Kind == verdict.FormLock && slices.Contains(inv.Form.Variables, lk.Region)
		})
	})
	wanted := map[standing]map[string]bool{}
	for i := range stored.Invariants {
		inv := &stored.Invariants[i]
		f := inv.Form
		if f == nil || f.Class < 0 || f.Class >= len(k.pr.Classes) {
			continue
		}
		at := standing{k.pr.Classes[f.Class], ir.Loc(f.Loc)}
		switch f.Kind {
		case verdict.FormPair:
			k.proposePair(f)
			continue
		case verdict.FormCount:
			k.proposeCount(f)
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
	choose := func(list []*Condition, at standing) []*Condition {
		return slices.DeleteFunc(list, func(p *Condition) bool { return p.Given == nil && !wanted[at][p.text] })
	}
	for _, x := range scalars {
		k.global = append(k.global, choose(k.onVariable(x, numbers), standing{})...)
	}
	k.global = append(k.global, choose(k.onPairs(scalars), standing{})...)
	k.global = append(k.global, choose(append(k.onBlocks(), k.onFields()...), standing{})...)
	g := newClauseGrammar(k, scalars)
	k.global = unlessThere(k.global, g.stored(g.always(), wanted[standing{}]))
	k.global = unlessThere(k.global, choose(g.rings(), standing{}))
	k.proposeEverywhere()
	for _, c := range k.pr.Classes {
		for l := range c.Code.Locs {
			at := standing{c, ir.Loc(l)}
			k.Local[c][l] = choose(k.Local[c][l], at)
			if len(wanted[at]) == 0 || c.Skips(at.l) {
				continue
			}
			list := append(k.atLocation(c, at.l, scalars, numbers, Few), k.atLocation(c, at.l, scalars, numbers, Many)...)
			list = slices.Concat(list, k.onTickets(c, at.l, scalars), k.onContents(c, at.l), k.unpublished(c, at.l))
			k.Local[c][l] = unlessThere(k.Local[c][l], choose(list, at))
			k.Local[c][l] = unlessThere(k.Local[c][l], g.stored(g.at(c, at.l), wanted[at]))
			k.Local[c][l] = unlessThere(k.Local[c][l], choose(g.fillingAt(c, at.l), at))
		}
	}
}

// unlessThere adds conditions that a list does not have. What the user has stated may be found as well, and is listed twice then.
func unlessThere(list, more []*Condition) []*Condition {
	for _, p := range more {
		if !slices.ContainsFunc(list, func(q *Condition) bool { return q.Given == nil && q.text == p.text }) {
			list = append(list, p)
		}
	}
	return list
}

// proposePair adds a fact about two threads. One that does not fit the program is left out.
func (k *Knowledge) proposePair(f *verdict.ProofForm) {
	if f.With < 0 || f.With >= len(k.pr.Classes) {
		return
	}
	c, d := k.pr.Classes[f.Class], k.pr.Classes[f.With]
	fact := &pairFact{c: c, d: d, r: ir.NoReg, s: ir.NoReg, separations: matrix(c, d, false)}
	if len(f.Registers) > 0 {
		if len(f.Registers) != 2 || f.Registers[0] < 0 || f.Registers[0] >= len(c.Code.Regs) || f.Registers[1] < 0 || f.Registers[1] >= len(d.Code.Regs) {
			return
		}
		fact.r, fact.s = ir.Reg(f.Registers[0]), ir.Reg(f.Registers[1])
	}
	for _, p := range f.Pairs {
		l, n := p[0], p[1]
		if l < 0 || l >= len(c.Code.Locs) || n < 0 || n >= len(d.Code.Locs) || !k.separable(c, ir.Loc(l), d, ir.Loc(n)) {
			return
		}
		fact.separations[l][n] = true
	}
	if c != d || c.Many {
		k.pairs = append(k.pairs, fact)
	}
}

// proposeCount adds a count. One that does not fit the program is left out.
func (k *Knowledge) proposeCount(f *verdict.ProofForm) {
	single := func(x int) bool { return x >= 0 && x < len(k.pr.Regions) && k.pr.IsSingle(x) }
	if len(f.Variables) < 1 || len(f.Variables) > 2 || !single(f.Variables[0]) || len(f.Counted) != len(k.pr.Classes) {
		return
	}
	ct := &count{x: f.Variables[0], y: -1, weight: map[*program.Class][]int64{}}
	ct.bits = uint8(8 * k.pr.Regions[ct.x].Size)
	if len(f.Variables) == 2 {
		ct.y = f.Variables[1]
		if !single(ct.y) || k.pr.Regions[ct.y].Size != k.pr.Regions[ct.x].Size {
			return
		}
	}
	for i, c := range k.pr.Classes {
		ct.weight[c] = make([]int64, len(c.Code.Locs))
		for _, l := range f.Counted[i] {
			if l < 0 || l >= len(c.Code.Locs) {
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
