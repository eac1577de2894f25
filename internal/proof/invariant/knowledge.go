package invariant

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Location invariants in the manner of Owicki and Gries: conditions that hold whenever a thread is
// at a location, under SC. They must hold initially, be established by every step of the thread
// that leads to the location (its own steps), and be preserved by every step of every other thread
// while it is there (interference). All are checked together, each under the assumption of the
// others. Conditions that fail are dropped and the rest is checked again, until none fails.
// Conditions of the user are dropped, too, and reported.

// Condition is a condition on memory and the registers of one thread.
type Condition struct {
	text string
	// term returns the condition; q has the numbers for bound variables.
	term  func(regs []smt.Term, m encode.Memory, q []smt.Term) smt.Term
	bound int
	holds func(*concrete) bool // its value in a state of an instance; nil: not known
	Given *source.Span         // where the user states it; nil: inferred
	Fails string               // why a given one was dropped
	state []verdict.ProofValue
	// proved says that it is inductive together with the other proved ones.
	proved bool
}

// goal returns the condition to prove: for any numbers.
func (p *Condition) goal(pr *encode.Problem, regs []smt.Term, m encode.Memory) smt.Term {
	return p.term(regs, m, pr.AnyNumbers(p.bound))
}

// Uses returns the condition where it is assumed, instantiated with the given numbers.
func (p *Condition) Uses(regs []smt.Term, m encode.Memory, numbers []smt.Term) []smt.Term {
	if p.bound == 0 {
		return []smt.Term{p.term(regs, m, nil)}
	}
	var out []smt.Term
	var choose func(q []smt.Term)
	choose = func(q []smt.Term) {
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

// Knowledge has the invariants of SC executions.
type Knowledge struct {
	pr         *encode.Problem
	say        vocabulary
	LockFinder *LockFinder
	Reach      program.Reach                     // nil: there is none
	Local      map[*program.Class][][]*Condition // by location
	global     []*Condition
	pairs      []*pairFact
	counts     []*count
	Locks      []*Lock
	Failed     []*Condition // stated by the user and not invariant
	dropped    []dropped
	bound      int // the most bound variables of a condition
	passed     map[obligation]stamp
	counted    map[counted]stamp
	stated     []stated // the conditions of the user
	named      map[*program.Class][]ir.Reg
	sets       [][]int64 // of numbers that are stored to one variable
	Round      int       // number of the current set of invariants: answers of other rounds do not count
	rounds     int       // how many rounds there were
}

// NewKnowledge returns what the user states about a program. reach may be nil.
func NewKnowledge(pr *encode.Problem, props *property.Set, reach program.Reach) *Knowledge {
	k := &Knowledge{pr: pr, say: vocabulary{pr}, LockFinder: &LockFinder{pr}, Reach: reach, Local: map[*program.Class][][]*Condition{}, named: map[*program.Class][]ir.Reg{}}
	for _, inv := range program.InvariantsOf(props, ir.NoThread) {
		k.add(nil, 0, k.condPred(inv))
	}
	for _, c := range pr.Classes {
		k.Local[c] = make([][]*Condition, len(c.Code.Locs))
		for _, inv := range program.InvariantsOf(props, c.Thread) {
			k.add(c, inv.Loc, k.condPred(inv))
			for _, v := range inv.Cond.Vars {
				if !v.IsMemory() && !slices.Contains(k.named[c], v.Reg) {
					k.named[c] = append(k.named[c], v.Reg)
				}
			}
		}
		for _, cl := range c.Annotations {
			if cl.Always {
				if !slices.ContainsFunc(k.global, func(p *Condition) bool { return *p.Given == cl.Pos }) {
					k.add(nil, 0, k.codePred(c, cl))
				}
				continue
			}
			k.add(c, cl.At, k.codePred(c, cl))
		}
	}
	return k
}

func (k *Knowledge) add(c *program.Class, l ir.Loc, p *Condition) {
	k.bound = max(k.bound, p.bound)
	k.stated = append(k.stated, stated{c, l, p})
	if c == nil {
		k.global = append(k.global, p)
		return
	}
	k.Local[c][l] = append(k.Local[c][l], p)
}

// condPred returns an invariant that is stated as a condition.
func (k *Knowledge) condPred(inv property.Invariant) *Condition {
	pr := k.pr
	cond := inv.Cond
	pos := inv.Pos
	return &Condition{text: cond.Text, Given: &pos, bound: len(cond.Bound), term: func(regs []smt.Term, m encode.Memory, q []smt.Term) smt.Term {
		vars := make([]smt.Term, len(cond.Vars))
		v := pr.Env(vars)
		for i, x := range cond.Vars {
			if n := slices.Index(cond.Bound, ir.Reg(i)); n >= 0 {
				vars[i] = q[n]
			} else if !x.IsMemory() {
				vars[i] = regs[x.Reg]
			} else {
				op := program.NamedCellOf(pr.Prog, x).Load()
				vars[i] = pr.Read(m, pr.Locate(&op, v), x.Type)
			}
		}
		return v.Truth(cond.Expr)
	}}
}

// codePred returns an invariant that is stated as code.
func (k *Knowledge) codePred(c *program.Class, cl *program.Annotation) *Condition {
	pr := k.pr
	pos := cl.Pos
	bound := 0
	for _, way := range cl.Ways {
		n := 0
		for _, e := range way {
			if e.Op.Kind == ir.Havoc {
				n++
			}
		}
		bound = max(bound, n)
	}
	return &Condition{text: cl.Text, Given: &pos, bound: bound, term: func(regs []smt.Term, m encode.Memory, q []smt.Term) smt.Term {
		if regs == nil {
			regs = make([]smt.Term, len(c.Code.Regs)) // an annotation about memory reads no registers
			for r := range regs {
				regs[r] = pr.Arith.Num(0)
			}
		}
		var all []smt.Term
		for _, way := range cl.Ways {
			s := encode.Run{Regs: append([]smt.Term(nil), regs...), Mem: m}
			n := 0
			for _, e := range way {
				switch e.Op.Kind {
				case ir.Havoc:
					s.Regs[e.Op.Dst] = q[n]
					n++
				case ir.Assert:
					all = append(all, smt.Implies(smt.And(s.Guard...), pr.Env(s.Regs).Truth(e.Op.Val)))
				default:
					pr.Step(&e.Op, "", &s)
				}
			}
		}
		return smt.And(all...)
	}}
}

// Everywhere returns the global invariants on memory.
func (k *Knowledge) Everywhere(m encode.Memory, numbers ...smt.Term) []smt.Term {
	k.pr.Poll()
	var out []smt.Term
	for _, p := range k.global {
		out = append(out, p.Uses(nil, m, numbers)...)
	}
	return out
}

// At returns the invariants of a thread of class c at a location. Conditions for all numbers are
// instantiated with the given numbers.
func (k *Knowledge) At(c *program.Class, l ir.Loc, regs []smt.Term, m encode.Memory, numbers ...smt.Term) []smt.Term {
	out := append(k.Everywhere(m, numbers...), k.pr.Numbered(c, regs)...)
	for _, p := range k.Local[c][l] {
		out = append(out, p.Uses(regs, m, numbers)...)
	}
	for _, lk := range k.Locks {
		if lk.counter {
			out = append(out, lk.below(k.pr, m))
		}
		if h := lk.Holds(k.pr.Arith, c, l, regs); !h.IsFalse() {
			out = append(out, smt.Implies(h, smt.Not(lk.free(k.pr, m))))
		}
	}
	for _, ct := range k.counts {
		out = append(out, ct.says(k.pr, m, standing{c, l})...)
	}
	return append(out, k.exactly(c, l, m)...)
}

// watched returns the registers of a thread that matter at a location: live registers, and
// registers in conditions of the user.
func (k *Knowledge) watched(c *program.Class, l ir.Loc) []ir.Reg {
	list := k.pr.Facts.Live(k.pr.Prog.Threads[c.Thread].Func, l)
	for _, r := range k.named[c] {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// alive returns a run with the values of these registers, for instantiation.
func (k *Knowledge) alive(c *program.Class, l ir.Loc, regs []smt.Term) encode.Run {
	var out encode.Run
	if k.bound > 0 {
		for _, r := range k.watched(c, l) {
			out.Indices = append(out.Indices, regs[r])
		}
	}
	return out
}

// Numbers returns the terms that conditions for all numbers are instantiated with in a step:
// indices of array accesses, values of registers, and the constants of the goal.
func (k *Knowledge) Numbers(runs ...encode.Run) []smt.Term {
	if k.bound == 0 {
		return nil
	}
	list := k.pr.AnyNumbers(k.bound)
	for _, r := range runs {
		for _, i := range r.Indices {
			if !slices.ContainsFunc(list, i.Equal) {
				list = append(list, i)
			}
		}
	}
	return list
}

// differ returns the condition that two threads have different numbers.
func (k *Knowledge) differ(c *program.Class, regs []smt.Term, d *program.Class, others []smt.Term) []smt.Term {
	if c != d || c.Self == ir.NoReg {
		return nil
	}
	return []smt.Term{smt.Not(encode.Equal(regs[c.Self], others[c.Self]))}
}

// Apart returns the conditions on two threads at two locations, in a memory: they do not hold the
// same lock, and what is stated about two threads.
func (k *Knowledge) Apart(c *program.Class, l ir.Loc, regs []smt.Term, d *program.Class, n ir.Loc, others []smt.Term, m encode.Memory) []smt.Term {
	out := k.differ(c, regs, d, others)
	for _, x := range k.separations(c, l, d, n) {
		out = append(out, x.term(regs, others))
	}
	for _, ct := range k.counts {
		out = append(out, ct.says(k.pr, m, standing{c, l}, standing{d, n})...)
	}
	for _, lk := range k.Locks {
		if h, g := lk.Holds(k.pr.Arith, c, l, regs), lk.Holds(k.pr.Arith, d, n, others); !h.IsFalse() && !g.IsFalse() {
			out = append(out, smt.Not(smt.And(h, g)))
		}
	}
	return out
}

// changed begins a new round: earlier answers no longer count.
func (k *Knowledge) changed() {
	k.rounds++
	k.Round = k.rounds
}
