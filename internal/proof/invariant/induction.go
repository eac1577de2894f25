package invariant

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Induction: which conditions are invariants.

// DropFalse drops conditions until the rest is inductive.
func (k *Knowledge) DropFalse() {
	k.setProved(false)
	k.dropFalseNew()
}

// setProved says of all conditions whether they are inductive together.
func (k *Knowledge) setProved(yes bool) {
	k.each(func(p *Condition) { p.proved = yes })
	for _, f := range k.pairs {
		f.proved = yes
	}
	for _, ct := range k.counts {
		ct.proved = yes
	}
}

func (k *Knowledge) each(f func(*Condition)) {
	for _, p := range k.global {
		f(p)
	}
	for _, at := range k.Local {
		for _, list := range at {
			for _, p := range list {
				f(p)
			}
		}
	}
}

// dropFalseNew drops conditions that are not proved yet until the rest is inductive.
func (k *Knowledge) dropFalseNew() {
	k.changed()
	k.initiation()
	k.pairsAtStart()
	k.countsAtStart()
	k.passed, k.counted = map[obligation]stamp{}, map[counted]stamp{}
	steps := map[*program.Class][]*program.Action{}
	for _, c := range k.pr.Classes {
		steps[c] = c.Steps()
	}
	for changed := true; changed && k.pr.Err == nil; {
		changed = false
		for _, c := range k.pr.Classes {
			for _, a := range steps[c] {
				if k.threadStep(c, a) {
					changed = true
				}
				if a.Writes() && k.interferes(c, a) {
					changed = true
				}
				if k.pairStep(c, a) || k.countStep(c, a) {
					changed = true
				}
			}
		}
	}
	k.setProved(true)
}

// stated is a condition of the user with its location.
type stated struct {
	c *program.Class
	l ir.Loc
	p *Condition
}

// retry adds the conditions of the user that were dropped: with more invariants they may be
// inductive.
func (k *Knowledge) retry() {
	failed := k.Failed
	k.Failed = nil
	for _, s := range k.stated {
		if !slices.Contains(failed, s.p) {
			continue
		}
		s.p.Fails, s.p.state, s.p.proved = "", nil, false
		if s.c == nil {
			k.global = append(k.global, s.p)
		} else {
			k.Local[s.c][s.l] = append(k.Local[s.c][s.l], s.p)
		}
	}
}

// obligation identifies a question of DropFalse. Its stamp says how many conditions had been
// dropped when it was last answered: it is asked again after more conditions have been dropped.
type obligation struct {
	c *program.Class
	l ir.Loc // for interference; -1: an own step
	a *program.Action
	d *program.Class // of a separation about two threads: the thread at l; else nil
}

// stamp has the numbers of conditions: global ones and counts, conditions of locations, and separations
// about two threads.
type stamp [6]int

func (k *Knowledge) stamp(cells ...[]*Condition) stamp {
	s := stamp{len(k.global) + len(k.counts)}
	for i, list := range cells {
		s[i+1] = len(list)
	}
	return s
}

// stampPair is the stamp of a question about two threads.
func (k *Knowledge) stampPair(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc) stamp {
	s := k.stamp(k.Local[c][l], k.Local[d][n])
	s[3], s[4] = len(k.separations(c, l, d, n)), k.exact(c, l)
	s[5] = k.exact(d, n)
	return s
}

// stampStep is the stamp of a question about a step of one thread.
func (k *Knowledge) stampStep(c *program.Class, a *program.Action) stamp {
	s := k.stamp(k.Local[c][a.From()])
	s[4], s[5] = k.exact(c, a.From()), k.exact(c, a.To())
	return s
}

// exact returns how many counts are known exactly where a thread is.
func (k *Knowledge) exact(c *program.Class, l ir.Loc) int {
	n := 0
	for _, ct := range k.counts {
		if _, ok := ct.sum(k, c, l); ok {
			n++
		}
	}
	return n
}

// initiation drops the conditions that do not hold initially.
func (k *Knowledge) initiation() {
	m := k.pr.Initial()
	first := site{why: "does not hold at first"}
	k.global = k.filter(first, k.global, nil, nil, m)
	for _, c := range k.pr.Classes {
		if c.Start {
			first.c, first.at = c, standing{c, c.Code.Entry}
			k.Local[c][c.Code.Entry] = k.filter(first, k.Local[c][c.Code.Entry], k.pr.Numbered(c, k.pr.Entries[c]), k.pr.Entries[c], m)
		}
	}
}

// threadStep drops the conditions that a step of a thread does not establish: conditions of the
// location that it leads to, global conditions, and conditions of the entry of a thread that it
// starts.
func (k *Knowledge) threadStep(c *program.Class, a *program.Action) (changed bool) {
	pr := k.pr
	to := a.To()
	child := pr.Started(a)
	if len(k.Local[c][to]) == 0 && (len(k.global) == 0 || !a.Writes()) && (child == nil || len(k.Local[child][child.Code.Entry]) == 0) {
		return false
	}
	id := obligation{c, -1, a, nil}
	if last, ok := k.passed[id]; ok && last == k.stampStep(c, a) && a.First().Op.Kind != ir.Join {
		return false
	}
	m, regs := pr.Memory("m"), pr.Registers(c, "a")
	after := pr.Run(a, "a", encode.Run{Regs: regs, Mem: m})
	numbers := k.Numbers(after, k.alive(c, to, after.Regs))
	assumed := k.stampStep(c, a)
	given := append(k.At(c, a.From(), regs, m, numbers...), after.Guard...)
	given = append(given, k.ended(a, m, numbers)...)
	count := func() int {
		n := len(k.Local[c][to]) + len(k.global)
		if child != nil {
			n += len(k.Local[child][child.Code.Entry])
		}
		return n
	}
	before := count()
	st := site{c: c, by: c, step: a, at: standing{c, to}, why: "is not established by " + program.PositionName(a)}
	k.Local[c][to] = k.filter(st, k.Local[c][to], append(k.exactly(c, to, after.Mem), given...), after.Regs, after.Mem)
	if a.Writes() {
		st.at, st.why = standing{}, "is not kept by "+program.PositionName(a)
		k.global = k.filter(st, k.global, given, nil, after.Mem)
	}
	if child != nil {
		entry := child.Code.Entry
		st.at, st.why = standing{child, entry}, "does not hold when line "+program.LineOf(a)+" starts the thread"
		k.Local[child][entry] = k.filter(st, k.Local[child][entry], given, pr.ArgumentsOf(child, &a.First().Op, regs), m)
	}
	k.passed[id] = assumed
	return count() != before
}

// ended returns the conditions on a thread that is joined: it is at a location where threads end.
func (k *Knowledge) ended(a *program.Action, m encode.Memory, numbers []smt.Term) []smt.Term {
	d := program.JoinedBy(&a.First().Op, k.pr.ClassOf)
	if d == nil {
		return nil
	}
	var ways []smt.Term
	for _, l := range d.Ends() {
		ways = append(ways, smt.And(k.At(d, l, k.pr.Registers(d, "e"), m, numbers...)...))
	}
	if len(ways) == 0 {
		return nil
	}
	return []smt.Term{smt.Or(ways...)}
}

// interferes drops the conditions of locations of other threads that a step of a thread of class d
// does not preserve.
func (k *Knowledge) interferes(d *program.Class, b *program.Action) (changed bool) {
	pr := k.pr
	for _, c := range pr.Against(d) {
		for l := range c.Code.Locs {
			list := k.Local[c][l]
			loc := ir.Loc(l)
			if len(list) == 0 || c.Skips(loc) || !pr.Lifetimes.Beside(c, loc, d, b.From()) {
				continue
			}
			id := obligation{c, loc, b, nil}
			assumed := k.stampPair(c, loc, d, b.From())
			if last, ok := k.passed[id]; ok && last == assumed {
				continue
			}
			k.passed[id] = assumed
			m, regs, others := pr.Memory("m"), pr.Registers(c, "a"), pr.Registers(d, "b")
			after := pr.Run(b, "b", encode.Run{Regs: others, Mem: m})
			numbers := k.Numbers(after, k.alive(c, loc, regs))
			given := append(k.At(c, loc, regs, m, numbers...), k.At(d, b.From(), others, m, numbers...)...)
			given = append(given, k.Apart(c, loc, regs, d, b.From(), others, m)...)
			given = append(given, after.Guard...)
			given = append(given, k.exactly(c, loc, after.Mem)...)
			st := site{c: c, d: d, by: d, step: b, at: standing{c, loc}, why: fmt.Sprintf("is not kept by %s of %s", program.PositionName(b), d.Name)}
			k.Local[c][l] = k.filter(st, list, given, regs, after.Mem)
			changed = changed || len(k.Local[c][l]) != len(list)
		}
	}
	return changed
}

// site is where conditions are tried.
type site struct {
	c, d *program.Class  // the threads whose registers describe a state; nil: none
	at   standing        // the location of the conditions; no class: they always hold
	by   *program.Class  // the thread that takes the step
	step *program.Action // after which they are tried; nil: the beginning
	why  string          // what is said of a condition that does not follow
}

// filter returns the conditions that follow.
func (k *Knowledge) filter(st site, list []*Condition, given, regs []smt.Term, m encode.Memory) []*Condition {
	known := map[string]bool{smt.True.String(): true}
	for _, g := range given {
		known[g.String()] = true
	}
	for {
		var open []*Condition
		var terms []smt.Term
		for _, p := range list {
			if t := p.goal(k.pr, regs, m); !p.proved && !known[t.String()] {
				open, terms = append(open, p), append(terms, t)
			}
		}
		if len(open) == 0 || k.pr.Err != nil {
			return list
		}
		k.pr.Obligations++
		var names []string
		var shown []smt.Term
		if st.c != nil {
			names, shown = k.described(st, open)
		}
		bad, values := k.refute(given, terms, shown)
		if bad == nil {
			return list
		}
		var state []verdict.ProofValue
		for i, v := range values {
			state = append(state, verdict.ProofValue{Name: names[i], Value: v})
		}
		var rest []*Condition
		for _, p := range list {
			i := indexOf(open, p)
			if i < 0 || !bad[i] {
				rest = append(rest, p)
				continue
			}
			k.changed()
			if p.Given != nil {
				p.Fails, p.state = st.why, state
				k.Failed = append(k.Failed, p)
			} else if p.holds != nil {
				k.dropped = append(k.dropped, dropped{st, p, state})
			}
		}
		list = rest
	}
}

func indexOf(list []*Condition, p *Condition) int {
	for i := range list {
		if list[i] == p {
			return i
		}
	}
	return -1
}

// described returns the terms that describe the state before a step. Conditions of the user may name any register;
// for the others, the live registers are enough.
func (k *Knowledge) described(st site, open []*Condition) (names []string, terms []smt.Term) {
	if slices.ContainsFunc(open, func(p *Condition) bool { return p.Given != nil }) {
		return k.pr.DescribeWholeState(st.c, st.d)
	}
	l, n := st.at.l, ir.Loc(0)
	if st.step != nil && st.by == st.c {
		l = st.step.From()
	}
	if st.d != nil {
		n = st.step.From()
	}
	return k.pr.DescribeState(st.c, l, st.d, n)
}

// refute returns which terms do not follow, or nil if all do, and the values of the shown terms in a state where
// they do not. If the solver gives up, none counts as following, and there is no such state.
func (k *Knowledge) refute(given, terms, shown []smt.Term) (bad []bool, state []string) {
	pr := k.pr
	status, values, err := pr.Asker.Check(given, terms, append(append([]smt.Term(nil), terms...), shown...))
	if err != nil {
		pr.Err = err
		return nil, nil
	}
	if status == smt.Unsat {
		return nil, nil
	}
	bad = make([]bool, len(terms))
	any := false
	for i := range terms {
		bad[i] = status != smt.Sat || values[i] != smt.True.String()
		any = any || bad[i]
	}
	if !any {
		panic("BUG: the solver refutes a conjunction and none of its parts")
	}
	if status == smt.Sat {
		state = values[len(terms):]
	}
	return bad, state
}
