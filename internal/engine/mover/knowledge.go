package mover

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
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
	text  string
	term  func(regs []string, m memory) string
	given *property.Invariant // nil: found
	fails string              // why a given one was dropped
	state []verdict.ProofValue
}

// knowledge is what is known of SC executions.
type knowledge struct {
	pr     *prover
	local  map[*class][][]*pred // by location
	global []*pred
	locks  []*lock
	failed []*pred // given and not invariant
	round  int     // names what is known: answers under one do not count under another
	rounds int     // handed out so far
}

func newKnowledge(pr *prover, props *property.Set) *knowledge {
	k := &knowledge{pr: pr, local: map[*class][][]*pred{}}
	for _, c := range pr.classes {
		k.local[c] = make([][]*pred, len(c.f.Locs))
		for _, inv := range invariantsOf(props, c.thread) {
			k.local[c][inv.Loc] = append(k.local[c][inv.Loc], pr.givenPred(inv))
		}
	}
	return k
}

func (pr *prover) givenPred(inv property.Invariant) *pred {
	cond := inv.Cond
	return &pred{text: cond.Text, given: &inv, term: func(regs []string, m memory) string {
		vars := make([]string, len(cond.Vars))
		for i, v := range cond.Vars {
			if !v.IsMemory() {
				vars[i] = regs[v.Reg]
				continue
			}
			p := place{region: pr.regionOf(pr.prog.FindObject(v.Addr, v.Type.Size()), ir.Int(int64(v.Addr))), index: integer(int64(v.Addr))}
			if pr.scalar(p.region) {
				p.index = ""
			}
			vars[i] = narrow(pr.read(m, p), v.Type)
		}
		return env{prog: pr.prog, regs: vars}.truth(cond.Expr)
	}}
}

// at is what holds where a thread of class c stands at a location.
func (k *knowledge) at(c *class, l ir.Loc, regs []string, m memory) []string {
	var out []string
	for _, p := range k.global {
		out = append(out, p.term(nil, m))
	}
	for _, p := range k.local[c][l] {
		out = append(out, p.term(regs, m))
	}
	for _, lk := range k.locks {
		if h := lk.holds(c, l, regs); h != "false" {
			out = append(out, apply("=>", h, apply("distinct", m[lk.region], "0")))
		}
	}
	return out
}

// apart is what holds of two threads at two places: they do not hold one lock.
func (k *knowledge) apart(c *class, l ir.Loc, regs []string, d *class, n ir.Loc, others []string) []string {
	var out []string
	for _, lk := range k.locks {
		if h, g := lk.holds(c, l, regs), lk.holds(d, n, others); h != "false" && g != "false" {
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
	k.changed()
	k.initiation()
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
}

// initiation drops what does not hold at first.
func (k *knowledge) initiation() {
	m := k.pr.initial()
	k.global = k.filter(nil, nil, k.global, nil, nil, m, "does not hold at first")
	for _, c := range k.pr.classes {
		k.local[c][c.f.Entry] = k.filter(c, nil, k.local[c][c.f.Entry], nil, c.entry, m, "does not hold at first")
	}
}

// own checks a step of a thread against what is said of where it leads, and of
// everywhere.
func (k *knowledge) own(c *class, a *action) (changed bool) {
	pr := k.pr
	to := a.to()
	if len(k.local[c][to]) == 0 && (len(k.global) == 0 || !a.writes()) {
		return false
	}
	m, regs := pr.memory("m"), pr.registers(c, "a")
	after := pr.run(a, "a", run{regs: regs, mem: m})
	given := append(k.at(c, a.from(), regs, m), after.guard...)
	before := len(k.local[c][to]) + len(k.global)
	k.local[c][to] = k.filter(c, nil, k.local[c][to], given, after.regs, after.mem, "is not established by "+placeName(a))
	if a.writes() {
		k.global = k.filter(c, nil, k.global, given, nil, after.mem, "is not kept by "+placeName(a))
	}
	return len(k.local[c][to])+len(k.global) != before
}

// interferes checks a step of a thread of class d against what is said of places
// where other threads may be.
func (k *knowledge) interferes(d *class, b *action) (changed bool) {
	pr := k.pr
	for _, c := range pr.against(d) {
		for l := range c.f.Locs {
			list := k.local[c][l]
			if len(list) == 0 || c.inside[l] {
				continue
			}
			loc := ir.Loc(l)
			m, regs, others := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
			after := pr.run(b, "b", run{regs: others, mem: m})
			given := append(k.at(c, loc, regs, m), k.at(d, b.from(), others, m)...)
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
			if t := p.term(regs, m); !known[t] {
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

func placeName(a *action) string {
	if pos := a.first().Pos; pos.IsValid() {
		return fmt.Sprintf("line %d", pos.Line)
	}
	return a.first().Op.Kind.String()
}
