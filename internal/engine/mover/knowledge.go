package mover

import (
	"fmt"
	"slices"
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Invariants in the manner of Owicki and Gries: conditions that hold whenever a
// thread stands at a place, under SC. They must hold at first, be established by
// every step of the thread that leads to the place, and survive every step of every
// other thread that finds it there. All are checked together, each under the
// assumption of the others; what fails is dropped and the rest checked again, until
// nothing fails. What the user gave is dropped too, but not silently.

// pred is a condition on memory and the registers of one thread.
type pred struct {
	text string
	// term is the condition; q are the numbers that bound variables stand for.
	term  func(regs []string, m memory, q []string) string
	bound int
	given *source.Span // where the author says it; nil: found
	fails string       // why a given one was dropped
	state []verdict.ProofValue
	// settled says that it follows from others that are settled.
	settled bool
}

// goal is the condition to prove: for any numbers.
func (p *pred) goal(pr *prover, regs []string, m memory) string {
	return p.term(regs, m, pr.anyNumbers(p.bound))
}

// uses is the condition where it is assumed: for all numbers among those given.
func (p *pred) uses(regs []string, m memory, numbers []string) []string {
	if p.bound == 0 {
		return []string{p.term(regs, m, nil)}
	}
	var out []string
	var choose func(q []string)
	choose = func(q []string) {
		if len(q) == p.bound {
			out = append(out, p.term(regs, m, q))
			return
		}
		for _, n := range numbers {
			choose(append(q[:len(q):len(q)], n))
		}
	}
	choose(nil)
	return out
}

// anyNumbers are constants that stand for any numbers.
func (pr *prover) anyNumbers(n int) []string {
	q := make([]string, n)
	for i := range q {
		q[i] = fmt.Sprintf("q%d", i)
		pr.declareConst(q[i], pr.arith.sort())
	}
	return q
}

// knowledge is what is known of SC executions.
type knowledge struct {
	pr     *prover
	local  map[*class][][]*pred // by location
	global []*pred
	locks  []*lock
	failed []*pred // given and not invariant
	bound  int     // the most bound variables of a pred
	passed map[obligation]stamp
	said   []said // what was given
	named  map[*class][]ir.Reg
	round  int // names what is known: answers under one do not count under another
	rounds int // handed out so far
}

func newKnowledge(pr *prover, props *property.Set) *knowledge {
	k := &knowledge{pr: pr, local: map[*class][][]*pred{}, named: map[*class][]ir.Reg{}}
	for _, inv := range invariantsOf(props, ir.NoThread) {
		k.add(nil, 0, pr.condPred(inv))
	}
	for _, c := range pr.classes {
		k.local[c] = make([][]*pred, len(c.f.Locs))
		for _, inv := range invariantsOf(props, c.thread) {
			k.add(c, inv.Loc, pr.condPred(inv))
			for _, v := range inv.Cond.Vars {
				if !v.IsMemory() && !slices.Contains(k.named[c], v.Reg) {
					k.named[c] = append(k.named[c], v.Reg)
				}
			}
		}
		for _, cl := range c.claims {
			if cl.Always {
				if !slices.ContainsFunc(k.global, func(p *pred) bool { return *p.given == cl.Pos }) {
					k.add(nil, 0, pr.codePred(c, cl))
				}
				continue
			}
			k.add(c, cl.at, pr.codePred(c, cl))
		}
	}
	return k
}

func (k *knowledge) add(c *class, l ir.Loc, p *pred) {
	k.bound = max(k.bound, p.bound)
	k.said = append(k.said, said{c, l, p})
	if c == nil {
		k.global = append(k.global, p)
		return
	}
	k.local[c][l] = append(k.local[c][l], p)
}

// condPred is an invariant given as a condition.
func (pr *prover) condPred(inv property.Invariant) *pred {
	cond := inv.Cond
	pos := inv.Pos
	return &pred{text: cond.Text, given: &pos, bound: len(cond.Bound), term: func(regs []string, m memory, q []string) string {
		vars := make([]string, len(cond.Vars))
		v := pr.env(vars)
		for i, x := range cond.Vars {
			if n := slices.Index(cond.Bound, ir.Reg(i)); n >= 0 {
				vars[i] = q[n]
			} else if !x.IsMemory() {
				vars[i] = regs[x.Reg]
			} else {
				op := namedPlace(pr.prog, x).load()
				vars[i] = pr.read(m, pr.locate(&op, v), x.Type)
			}
		}
		return v.truth(cond.Expr)
	}}
}

// codePred is an invariant given as code.
func (pr *prover) codePred(c *class, cl *claim) *pred {
	pos := cl.Pos
	bound := 0
	for _, way := range cl.ways {
		n := 0
		for _, e := range way {
			if e.Op.Kind == ir.Havoc {
				n++
			}
		}
		bound = max(bound, n)
	}
	return &pred{text: cl.Text, given: &pos, bound: bound, term: func(regs []string, m memory, q []string) string {
		if regs == nil {
			regs = make([]string, len(c.f.Regs)) // a claim about memory alone reads none
			for r := range regs {
				regs[r] = pr.arith.num(0)
			}
		}
		var all []string
		for _, way := range cl.ways {
			s := run{regs: append([]string(nil), regs...), mem: m}
			n := 0
			for _, e := range way {
				switch e.Op.Kind {
				case ir.Havoc:
					s.regs[e.Op.Dst] = q[n]
					n++
				case ir.Assert:
					all = append(all, implies(and(s.guard), pr.env(s.regs).truth(e.Op.Val)))
				default:
					pr.step(&e.Op, "", &s)
				}
			}
		}
		return and(all)
	}}
}

// everywhere is what holds of memory always.
func (k *knowledge) everywhere(m memory, numbers ...string) []string {
	var out []string
	for _, p := range k.global {
		out = append(out, p.uses(nil, m, numbers)...)
	}
	return out
}

// at is what holds where a thread of class c stands at a location. What holds for
// all numbers is said of those given.
func (k *knowledge) at(c *class, l ir.Loc, regs []string, m memory, numbers ...string) []string {
	out := k.everywhere(m, numbers...)
	for _, p := range k.local[c][l] {
		out = append(out, p.uses(regs, m, numbers)...)
	}
	for _, lk := range k.locks {
		if lk.counter {
			out = append(out, lk.below(k.pr, m))
		}
		if h := lk.holds(k.pr.arith, c, l, regs); h != "false" {
			out = append(out, implies(h, not(lk.free(k.pr, m))))
		}
	}
	return out
}

// watched lists the registers of a thread that matter where it stands: those that are
// live, and those that given conditions are about.
func (k *knowledge) watched(c *class, l ir.Loc) []ir.Reg {
	list := k.pr.facts.Live(k.pr.prog.Threads[c.thread].Func, l)
	for _, r := range k.named[c] {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// alive is what these registers hold, as numbers to look at.
func (k *knowledge) alive(c *class, l ir.Loc, regs []string) run {
	var out run
	if k.bound > 0 {
		for _, r := range k.watched(c, l) {
			out.indices = append(out.indices, regs[r])
		}
	}
	return out
}

// numbers is where conditions for all numbers are looked at in a step: where it
// touches arrays, what its registers hold, and where such a condition could fail.
func (k *knowledge) numbers(runs ...run) []string {
	if k.bound == 0 {
		return nil
	}
	list := k.pr.anyNumbers(k.bound)
	for _, r := range runs {
		for _, i := range r.indices {
			if !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// apart is what holds of two threads at two places: they do not hold one lock.
func (k *knowledge) apart(c *class, l ir.Loc, regs []string, d *class, n ir.Loc, others []string) []string {
	var out []string
	for _, lk := range k.locks {
		if h, g := lk.holds(k.pr.arith, c, l, regs), lk.holds(k.pr.arith, d, n, others); h != "false" && g != "false" {
			out = append(out, not(apply("and", h, g)))
		}
	}
	return out
}

// changed says that answers from before no longer count.
func (k *knowledge) changed() {
	k.rounds++
	k.round = k.rounds
}

// settle drops preds until the rest are invariants.
func (k *knowledge) settle() {
	k.each(func(p *pred) { p.settled = false })
	k.settleMore()
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

// settleMore does so with those that are not settled.
func (k *knowledge) settleMore() {
	k.changed()
	k.initiation()
	k.passed = map[obligation]stamp{}
	for changed := true; changed && k.pr.err == nil; {
		changed = false
		for _, c := range k.pr.classes {
			for _, a := range c.acts {
				if k.own(c, a) {
					changed = true
				}
				if a.writes() && k.interferes(c, a) {
					changed = true
				}
			}
		}
	}
	k.each(func(p *pred) { p.settled = true })
}

// said is a given pred with its place.
type said struct {
	c *class
	l ir.Loc
	p *pred
}

// again puts up what was given and fell, since more may be known now.
func (k *knowledge) again() {
	fallen := k.failed
	k.failed = nil
	for _, s := range k.said {
		if !slices.Contains(fallen, s.p) {
			continue
		}
		s.p.fails, s.p.state, s.p.settled = "", nil, false
		if s.c == nil {
			k.global = append(k.global, s.p)
		} else {
			k.local[s.c][s.l] = append(k.local[s.c][s.l], s.p)
		}
	}
}

// obligation names a question of settle; stamp how much was assumed when it was
// last answered: less is assumed only after something fell, and then the question
// comes again.
type obligation struct {
	c *class
	l ir.Loc // of interference; -1: a step of the thread itself
	a *action
}

type stamp [4]int

func (k *knowledge) stamp(places ...[]*pred) stamp {
	s := stamp{len(k.global)}
	for i, list := range places {
		s[i+1] = len(list)
	}
	return s
}

// initiation drops what does not hold at first.
func (k *knowledge) initiation() {
	m := k.pr.initial()
	k.global = k.filter(nil, nil, k.global, nil, nil, m, "does not hold at first")
	for _, c := range k.pr.classes {
		if c.start {
			k.local[c][c.f.Entry] = k.filter(c, nil, k.local[c][c.f.Entry], nil, c.entry, m, "does not hold at first")
		}
	}
}

// own checks a step of a thread against what is said of where it leads, and of
// everywhere; starting a thread leads to its entry, too.
func (k *knowledge) own(c *class, a *action) (changed bool) {
	pr := k.pr
	to := a.to()
	child := pr.started(a)
	if len(k.local[c][to]) == 0 && (len(k.global) == 0 || !a.writes()) && (child == nil || len(k.local[child][child.f.Entry]) == 0) {
		return false
	}
	id := obligation{c, -1, a}
	if last, ok := k.passed[id]; ok && last == k.stamp(k.local[c][a.from()]) && a.first().Op.Kind != ir.Join {
		return false
	}
	m, regs := pr.memory("m"), pr.registers(c, "a")
	after := pr.run(a, "a", run{regs: regs, mem: m})
	numbers := k.numbers(after, k.alive(c, to, after.regs))
	assumed := k.stamp(k.local[c][a.from()])
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
	k.local[c][to] = k.filter(c, nil, k.local[c][to], given, after.regs, after.mem, "is not established by "+placeName(a))
	if a.writes() {
		k.global = k.filter(c, nil, k.global, given, nil, after.mem, "is not kept by "+placeName(a))
	}
	if child != nil {
		entry := child.f.Entry
		k.local[child][entry] = k.filter(c, nil, k.local[child][entry], given, pr.argumentsOf(child, &a.first().Op, regs), m, "does not hold when line "+lineOf(a)+" starts the thread")
	}
	k.passed[id] = assumed
	return count() != before
}

// ended is what a thread that waits for another knows of it: it stands where threads
// end.
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

// interferes checks a step of a thread of class d against what is said of places
// where other threads may be.
func (k *knowledge) interferes(d *class, b *action) (changed bool) {
	pr := k.pr
	for _, c := range pr.against(d) {
		for l := range c.f.Locs {
			list := k.local[c][l]
			loc := ir.Loc(l)
			if len(list) == 0 || c.inside[l] || !pr.family.beside(c, loc, d, b.from()) {
				continue
			}
			id := obligation{c, loc, b}
			assumed := k.stamp(list, k.local[d][b.from()])
			if last, ok := k.passed[id]; ok && last == assumed {
				continue
			}
			k.passed[id] = assumed
			m, regs, others := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
			after := pr.run(b, "b", run{regs: others, mem: m})
			numbers := k.numbers(after, k.alive(c, loc, regs))
			given := append(k.at(c, loc, regs, m, numbers...), k.at(d, b.from(), others, m, numbers...)...)
			given = append(given, k.apart(c, loc, regs, d, b.from(), others)...)
			given = append(given, after.guard...)
			k.local[c][l] = k.filter(c, d, list, given, regs, after.mem, fmt.Sprintf("is not kept by %s of %s", placeName(b), d.name))
			changed = changed || len(k.local[c][l]) != len(list)
		}
	}
	return changed
}

// filter keeps the preds that follow.
func (k *knowledge) filter(c, d *class, list []*pred, given []string, regs []string, m memory, why string) []*pred {
	known := map[string]bool{"true": true}
	for _, g := range given {
		known[g] = true
	}
	for {
		var open []*pred
		var terms []string
		for _, p := range list {
			if t := p.goal(k.pr, regs, m); !p.settled && !known[t] {
				open, terms = append(open, p), append(terms, t)
			}
		}
		if len(open) == 0 || k.pr.err != nil {
			return list
		}
		k.pr.obligations++
		bad, state := k.refute(c, d, given, terms)
		if bad == nil {
			return list
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
				p.fails, p.state = why, state
				k.failed = append(k.failed, p)
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

// refute finds terms that do not follow: nil if all do. Where the solver gives up,
// none counts as following.
func (k *knowledge) refute(c, d *class, given, terms []string) (bad []bool, state []verdict.ProofValue) {
	pr := k.pr
	var names, shown []string
	if c != nil {
		names, shown = pr.everything(c, d)
	}
	status, values, err := pr.solver.Check(nil, append(append([]string(nil), given...), not(and(terms))), append(append([]string(nil), terms...), shown...))
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
		for i, name := range names {
			state = append(state, verdict.ProofValue{Name: name, Value: values[len(terms)+i]})
		}
	}
	return bad, state
}

func lineOf(a *action) string { return strconv.Itoa(a.first().Pos.Line) }

func placeName(a *action) string {
	if pos := a.first().Pos; pos.IsValid() {
		return "line " + lineOf(a)
	}
	return a.first().Op.Kind.String()
}
