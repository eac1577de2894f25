package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Induction: which conditions are invariants.

// dropFalse drops conditions until the rest is inductive.
func (k *knowledge) dropFalse() {
	k.setProved(false)
	k.dropFalseNew()
}

// setProved says of all conditions whether they are inductive together.
func (k *knowledge) setProved(yes bool) {
	k.each(func(p *pred) { p.proved = yes })
	for _, f := range k.pairs {
		f.proved = yes
	}
	for _, ct := range k.counts {
		ct.proved = yes
	}
}

func (k *knowledge) each(f func(*pred)) {
	for _, p := range k.global {
		f(p)
	}
	for _, at := range k.local {
		for _, list := range at {
			for _, p := range list {
				f(p)
			}
		}
	}
}

// dropFalseNew drops conditions that are not proved yet until the rest is inductive.
func (k *knowledge) dropFalseNew() {
	k.changed()
	k.initiation()
	k.pairsAtStart()
	k.countsAtStart()
	k.passed, k.counted = map[obligation]stamp{}, map[counted]stamp{}
	steps := map[*class][]*action{}
	for _, c := range k.pr.classes {
		steps[c] = c.steps()
	}
	for changed := true; changed && k.pr.err == nil; {
		changed = false
		for _, c := range k.pr.classes {
			for _, a := range steps[c] {
				if k.threadStep(c, a) {
					changed = true
				}
				if a.writes() && k.interferes(c, a) {
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

// said is a condition of the user with its location.
type said struct {
	c *class
	l ir.Loc
	p *pred
}

// retry adds the conditions of the user that were dropped: with more invariants they may be
// inductive.
func (k *knowledge) retry() {
	fallen := k.failed
	k.failed = nil
	for _, s := range k.said {
		if !slices.Contains(fallen, s.p) {
			continue
		}
		s.p.fails, s.p.state, s.p.proved = "", nil, false
		if s.c == nil {
			k.global = append(k.global, s.p)
		} else {
			k.local[s.c][s.l] = append(k.local[s.c][s.l], s.p)
		}
	}
}

// obligation identifies a question of dropFalse. Its stamp says how many conditions had been
// dropped when it was last answered: it is asked again after more conditions have been dropped.
type obligation struct {
	c *class
	l ir.Loc // for interference; -1: an own step
	a *action
	d *class // of a separation about two threads: the thread at l; else nil
}

// stamp has the numbers of conditions: global ones and counts, conditions of locations, and separations
// about two threads.
type stamp [6]int

func (k *knowledge) stamp(cells ...[]*pred) stamp {
	s := stamp{len(k.global) + len(k.counts)}
	for i, list := range cells {
		s[i+1] = len(list)
	}
	return s
}

// stampPair is the stamp of a question about two threads.
func (k *knowledge) stampPair(c *class, l ir.Loc, d *class, n ir.Loc) stamp {
	s := k.stamp(k.local[c][l], k.local[d][n])
	s[3], s[4] = len(k.separations(c, l, d, n)), k.exact(c, l)
	s[5] = k.exact(d, n)
	return s
}

// stampStep is the stamp of a question about a step of one thread.
func (k *knowledge) stampStep(c *class, a *action) stamp {
	s := k.stamp(k.local[c][a.from()])
	s[4], s[5] = k.exact(c, a.from()), k.exact(c, a.to())
	return s
}

// exact returns how many counts are known exactly where a thread is.
func (k *knowledge) exact(c *class, l ir.Loc) int {
	n := 0
	for _, ct := range k.counts {
		if _, ok := ct.sum(k, c, l); ok {
			n++
		}
	}
	return n
}

// initiation drops the conditions that do not hold initially.
func (k *knowledge) initiation() {
	m := k.pr.initial()
	first := site{why: "does not hold at first"}
	k.global = k.filter(first, k.global, nil, nil, m)
	for _, c := range k.pr.classes {
		if c.start {
			first.c, first.at = c, standing{c, c.f.Entry}
			k.local[c][c.f.Entry] = k.filter(first, k.local[c][c.f.Entry], k.pr.numbered(c, k.pr.entries[c]), k.pr.entries[c], m)
		}
	}
}

// threadStep drops the conditions that a step of a thread does not establish: conditions of the
// location that it leads to, global conditions, and conditions of the entry of a thread that it
// starts.
func (k *knowledge) threadStep(c *class, a *action) (changed bool) {
	pr := k.pr
	to := a.to()
	child := pr.started(a)
	if len(k.local[c][to]) == 0 && (len(k.global) == 0 || !a.writes()) && (child == nil || len(k.local[child][child.f.Entry]) == 0) {
		return false
	}
	id := obligation{c, -1, a, nil}
	if last, ok := k.passed[id]; ok && last == k.stampStep(c, a) && a.first().Op.Kind != ir.Join {
		return false
	}
	m, regs := pr.memory("m"), pr.registers(c, "a")
	after := pr.run(a, "a", run{regs: regs, mem: m})
	numbers := k.numbers(after, k.alive(c, to, after.regs))
	assumed := k.stampStep(c, a)
	given := append(k.at(c, a.from(), regs, m, numbers...), after.guard...)
	given = append(given, k.ended(a, m, numbers)...)
	count := func() int {
		n := len(k.local[c][to]) + len(k.global)
		if child != nil {
			n += len(k.local[child][child.f.Entry])
		}
		return n
	}
	before := count()
	st := site{c: c, by: c, step: a, at: standing{c, to}, why: "is not established by " + positionName(a)}
	k.local[c][to] = k.filter(st, k.local[c][to], append(k.exactly(c, to, after.mem), given...), after.regs, after.mem)
	if a.writes() {
		st.at, st.why = standing{}, "is not kept by "+positionName(a)
		k.global = k.filter(st, k.global, given, nil, after.mem)
	}
	if child != nil {
		entry := child.f.Entry
		st.at, st.why = standing{child, entry}, "does not hold when line "+lineOf(a)+" starts the thread"
		k.local[child][entry] = k.filter(st, k.local[child][entry], given, pr.argumentsOf(child, &a.first().Op, regs), m)
	}
	k.passed[id] = assumed
	return count() != before
}

// ended returns the conditions on a thread that is joined: it is at a location where threads end.
func (k *knowledge) ended(a *action, m memory, numbers []string) []string {
	d := joins1(&a.first().Op, k.pr.classOf)
	if d == nil {
		return nil
	}
	var ways []string
	for _, l := range d.ends() {
		ways = append(ways, and(k.at(d, l, k.pr.registers(d, "e"), m, numbers...)))
	}
	if len(ways) == 0 {
		return nil
	}
	return []string{or(ways)}
}

// interferes drops the conditions of locations of other threads that a step of a thread of class d
// does not preserve.
func (k *knowledge) interferes(d *class, b *action) (changed bool) {
	pr := k.pr
	for _, c := range pr.against(d) {
		for l := range c.f.Locs {
			list := k.local[c][l]
			loc := ir.Loc(l)
			if len(list) == 0 || c.skips(loc) || !pr.family.beside(c, loc, d, b.from()) {
				continue
			}
			id := obligation{c, loc, b, nil}
			assumed := k.stampPair(c, loc, d, b.from())
			if last, ok := k.passed[id]; ok && last == assumed {
				continue
			}
			k.passed[id] = assumed
			m, regs, others := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
			after := pr.run(b, "b", run{regs: others, mem: m})
			numbers := k.numbers(after, k.alive(c, loc, regs))
			given := append(k.at(c, loc, regs, m, numbers...), k.at(d, b.from(), others, m, numbers...)...)
			given = append(given, k.apart(c, loc, regs, d, b.from(), others, m)...)
			given = append(given, after.guard...)
			given = append(given, k.exactly(c, loc, after.mem)...)
			st := site{c: c, d: d, by: d, step: b, at: standing{c, loc}, why: fmt.Sprintf("is not kept by %s of %s", positionName(b), d.name)}
			k.local[c][l] = k.filter(st, list, given, regs, after.mem)
			changed = changed || len(k.local[c][l]) != len(list)
		}
	}
	return changed
}

// site is where conditions are tried.
type site struct {
	c, d *class   // the threads whose registers describe a state; nil: none
	at   standing // the location of the conditions; no class: they always hold
	by   *class   // the thread that takes the step
	step *action  // after which they are tried; nil: the beginning
	why  string   // what is said of a condition that does not follow
}

// filter returns the conditions that follow.
func (k *knowledge) filter(st site, list []*pred, given []string, regs []string, m memory) []*pred {
	known := map[string]bool{"true": true}
	for _, g := range given {
		known[g] = true
	}
	for {
		var open []*pred
		var terms []string
		for _, p := range list {
			if t := p.goal(k.pr, regs, m); !p.proved && !known[t] {
				open, terms = append(open, p), append(terms, t)
			}
		}
		if len(open) == 0 || k.pr.err != nil {
			return list
		}
		k.pr.obligations++
		var names, shown []string
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
		var rest []*pred
		for _, p := range list {
			i := indexOf(open, p)
			if i < 0 || !bad[i] {
				rest = append(rest, p)
				continue
			}
			k.changed()
			if p.given != nil {
				p.fails, p.state = st.why, state
				k.failed = append(k.failed, p)
			} else if p.holds != nil {
				k.dropped = append(k.dropped, fallen{st, p, state})
			}
		}
		list = rest
	}
}

func indexOf(list []*pred, p *pred) int {
	for i := range list {
		if list[i] == p {
			return i
		}
	}
	return -1
}

// described returns the terms that describe the state before a step. Conditions of the user may name any register;
// for the others, the live registers are enough.
func (k *knowledge) described(st site, open []*pred) (names, terms []string) {
	if slices.ContainsFunc(open, func(p *pred) bool { return p.given != nil }) {
		return k.pr.everything(st.c, st.d)
	}
	l, n := st.at.l, ir.Loc(0)
	if st.step != nil && st.by == st.c {
		l = st.step.from()
	}
	if st.d != nil {
		n = st.step.from()
	}
	return k.pr.shown(st.c, l, st.d, n)
}

// refute returns which terms do not follow, or nil if all do, and the values of the shown terms in a state where
// they do not. If the solver gives up, none counts as following, and there is no such state.
func (k *knowledge) refute(given, terms, shown []string) (bad []bool, state []string) {
	pr := k.pr
	status, values, err := pr.asker.check(given, terms, append(append([]string(nil), terms...), shown...))
	if err != nil {
		pr.err = err
		return nil, nil
	}
	if status == smt.Unsat {
		return nil, nil
	}
	bad = make([]bool, len(terms))
	any := false
	for i := range terms {
		bad[i] = status != smt.Sat || values[i] != "true"
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
