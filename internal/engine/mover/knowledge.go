package mover

import (
	"fmt"
	"slices"
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Location invariants in the manner of Owicki and Gries: conditions that hold whenever a thread is
// at a location, under SC. They must hold initially, be established by every step of the thread
// that leads to the location (its own steps), and be preserved by every step of every other thread
// while it is there (interference). All are checked together, each under the assumption of the
// others. Conditions that fail are dropped and the rest is checked again, until none fails.
// Conditions of the user are dropped, too, and reported.

// pred is a condition on memory and the registers of one thread.
type pred struct {
	text string
	// term returns the condition; q has the numbers for bound variables.
	term  func(regs []string, m memory, q []string) string
	bound int
	holds func(*concrete) bool // its value in a state of an instance; nil: not known
	given *source.Span         // where the user states it; nil: inferred
	fails string               // why a given one was dropped
	state []verdict.ProofValue
	// proved says that it is inductive together with the other proved ones.
	proved bool
}

// goal returns the condition to prove: for any numbers.
func (p *pred) goal(pr *problem, regs []string, m memory) string {
	return p.term(regs, m, pr.anyNumbers(p.bound))
}

// uses returns the condition where it is assumed, instantiated with the given numbers.
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

// anyNumbers returns constants that stand for any numbers.
func (pr *problem) anyNumbers(n int) []string {
	q := make([]string, n)
	for i := range q {
		q[i] = fmt.Sprintf("q%d", i)
		pr.declareConst(q[i], pr.arith.sort())
	}
	return q
}

// knowledge has the invariants of SC executions.
type knowledge struct {
	pr         *problem
	say        vocabulary
	lockFinder *lockFinder
	reach      Reach                // nil: there is none
	local      map[*class][][]*pred // by location
	global     []*pred
	pairs      []*pairFact
	counts     []*count
	locks      []*lock
	failed     []*pred // stated by the user and not invariant
	dropped    []fallen
	bound      int // the most bound variables of a pred
	passed     map[obligation]stamp
	counted    map[counted]stamp
	said       []said // the conditions of the user
	named      map[*class][]ir.Reg
	sets       [][]int64 // of numbers that are stored to one variable
	round      int       // number of the current set of invariants: answers of other rounds do not count
	rounds     int       // how many rounds there were
}

func newKnowledge(pr *problem, props *property.Set, reach Reach) *knowledge {
	k := &knowledge{pr: pr, say: vocabulary{pr}, lockFinder: &lockFinder{pr}, reach: reach, local: map[*class][][]*pred{}, named: map[*class][]ir.Reg{}}
	for _, inv := range invariantsOf(props, ir.NoThread) {
		k.add(nil, 0, k.condPred(inv))
	}
	for _, c := range pr.classes {
		k.local[c] = make([][]*pred, len(c.f.Locs))
		for _, inv := range invariantsOf(props, c.thread) {
			k.add(c, inv.Loc, k.condPred(inv))
			for _, v := range inv.Cond.Vars {
				if !v.IsMemory() && !slices.Contains(k.named[c], v.Reg) {
					k.named[c] = append(k.named[c], v.Reg)
				}
			}
		}
		for _, cl := range c.annotations {
			if cl.Always {
				if !slices.ContainsFunc(k.global, func(p *pred) bool { return *p.given == cl.Pos }) {
					k.add(nil, 0, k.codePred(c, cl))
				}
				continue
			}
			k.add(c, cl.at, k.codePred(c, cl))
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

// condPred returns an invariant that is stated as a condition.
func (k *knowledge) condPred(inv property.Invariant) *pred {
	pr := k.pr
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
				op := namedCellOf(pr.prog, x).load()
				vars[i] = pr.read(m, pr.locate(&op, v), x.Type)
			}
		}
		return v.truth(cond.Expr)
	}}
}

// codePred returns an invariant that is stated as code.
func (k *knowledge) codePred(c *class, cl *annotation) *pred {
	pr := k.pr
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
			regs = make([]string, len(c.f.Regs)) // an annotation about memory reads no registers
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

// everywhere returns the global invariants on memory.
func (k *knowledge) everywhere(m memory, numbers ...string) []string {
	k.pr.poll()
	var out []string
	for _, p := range k.global {
		out = append(out, p.uses(nil, m, numbers)...)
	}
	return out
}

// at returns the invariants of a thread of class c at a location. Conditions for all numbers are
// instantiated with the given numbers.
func (k *knowledge) at(c *class, l ir.Loc, regs []string, m memory, numbers ...string) []string {
	out := append(k.everywhere(m, numbers...), k.pr.numbered(c, regs)...)
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
	for _, ct := range k.counts {
		out = append(out, ct.says(k.pr, m, standing{c, l})...)
	}
	return append(out, k.exactly(c, l, m)...)
}

// watched returns the registers of a thread that matter at a location: live registers, and
// registers in conditions of the user.
func (k *knowledge) watched(c *class, l ir.Loc) []ir.Reg {
	list := k.pr.facts.Live(k.pr.prog.Threads[c.thread].Func, l)
	for _, r := range k.named[c] {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// alive returns a run with the values of these registers, for instantiation.
func (k *knowledge) alive(c *class, l ir.Loc, regs []string) run {
	var out run
	if k.bound > 0 {
		for _, r := range k.watched(c, l) {
			out.indices = append(out.indices, regs[r])
		}
	}
	return out
}

// numbers returns the terms that conditions for all numbers are instantiated with in a step:
// indices of array accesses, values of registers, and the constants of the goal.
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

// numbered returns the conditions on the number of a thread.
func (pr *problem) numbered(c *class, regs []string) []string {
	if c.self == ir.NoReg {
		return nil
	}
	return []string{pr.arith.le(pr.arith.num(0), regs[c.self])}
}

// differ returns the condition that two threads have different numbers.
func (k *knowledge) differ(c *class, regs []string, d *class, others []string) []string {
	if c != d || c.self == ir.NoReg {
		return nil
	}
	return []string{not(equal(regs[c.self], others[c.self]))}
}

// apart returns the conditions on two threads at two locations, in a memory: they do not hold the
// same lock, and what is stated about two threads.
func (k *knowledge) apart(c *class, l ir.Loc, regs []string, d *class, n ir.Loc, others []string, m memory) []string {
	out := k.differ(c, regs, d, others)
	for _, x := range k.separations(c, l, d, n) {
		out = append(out, x.term(regs, others))
	}
	for _, ct := range k.counts {
		out = append(out, ct.says(k.pr, m, standing{c, l}, standing{d, n})...)
	}
	for _, lk := range k.locks {
		if h, g := lk.holds(k.pr.arith, c, l, regs), lk.holds(k.pr.arith, d, n, others); h != "false" && g != "false" {
			out = append(out, not(apply("and", h, g)))
		}
	}
	return out
}

// changed begins a new round: earlier answers no longer count.
func (k *knowledge) changed() {
	k.rounds++
	k.round = k.rounds
}

func lineOf(a *action) string { return strconv.Itoa(a.first().Pos.Line) }

func positionName(a *action) string {
	if pos := a.first().Pos; pos.IsValid() {
		return "line " + lineOf(a)
	}
	return a.first().Op.Kind.String()
}
