package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// The checks of pairs [BEMT18 §4]. A store w is a left mover if whatever another
// thread does right before it could as well be done right after it, with the same
// end. A load is a right mover if whatever another thread does right after it
// could as well be done before. Both are asked of all states that the invariants of
// the two places allow. Ends are compared by value, so that a store of the value
// that is there already is in nobody's way: the paper's relaxed store order. For
// a read abstraction the value chosen stays the same and must still be allowed:
// the paper's from-read rule for havoc.
//
// Differs from the paper: registers count only while they are live. Atomic
// sections are in the language: what moves across one is checked for every way
// through it. When a load moves right across a section, the section is taken to
// read anything from addresses other than the load's: other stores of the load's
// thread may be waiting in its buffer, and the section may see them in one order
// and not in the other. The same holds of every instruction that reads memory of which
// accesses have different bytes, since it can read more than the load does. There a
// load can also take some of its bytes from the buffer: whatever bytes these are, the
// load keeps them, and the other thread's step does not see them.

// direction of a move. The zero value is unset.
type direction uint8

const (
	_ direction = iota
	left
	right
)

type pairKey struct {
	dir    direction
	edge   ir.EdgeID
	other  *action
	va, vb int // which abstraction of the two
	round  int // of the invariants it was asked under
}

// pairAnswer is what is known about a pair.
type pairAnswer struct {
	holds bool
	state []verdict.ProofValue // where it does not hold
	vague bool                 // the solver gave up
}

// moves answers whether the action a of class c moves across b of class d.
func (pr *prover) moves(dir direction, c *class, a *action, d *class, b *action) *pairAnswer {
	key := pairKey{dir, a.first().ID, b, pr.variant[a.first().ID], pr.variant[b.first().ID], pr.known.round}
	if ans := pr.pairs[key]; ans != nil {
		return ans
	}
	pr.obligations++
	var given []string
	var goal string
	if dir == left {
		given, goal = pr.leftGoal(c, a, d, b)
	} else {
		given, goal = pr.rightGoal(c, a, d, b)
	}
	ans := &pairAnswer{holds: goal == "true"}
	if !ans.holds {
		ans = pr.ask(c, a.from(), d, b.from(), given, goal)
	}
	pr.pairs[key] = ans
	return ans
}

// given is what holds where a thread of class c stands before a and one of class d
// before b.
func (pr *prover) given(c *class, a *action, regsA []string, d *class, b *action, regsB []string, m memory) []string {
	numbers := pr.known.numbers(pr.run(a, "a", run{regs: regsA, mem: m}), pr.run(b, "b", run{regs: regsB, mem: m}))
	out := pr.known.at(c, a.from(), regsA, m, numbers...)
	out = append(out, pr.known.at(d, b.from(), regsB, m, numbers...)...)
	return append(out, pr.known.apart(c, a.from(), regsA, d, b.from(), regsB)...)
}

// leftGoal is for a store a right after b.
func (pr *prover) leftGoal(c *class, a *action, d *class, b *action) (given []string, goal string) {
	m, regsA, regsB := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
	b1 := pr.run(b, "b", run{regs: regsB, mem: m})
	a1 := pr.run(a, "a", run{regs: regsA, mem: b1.mem})
	a2 := pr.run(a, "a", run{regs: regsA, mem: m})
	b2 := pr.run(b, "b", run{regs: regsB, mem: a2.mem})
	given = append(pr.given(c, a, regsA, d, b, regsB, m), b1.guard...)
	want := append([]string(nil), b2.guard...)
	if slices.Equal(b1.guard, b2.guard) {
		want = nil
	}
	want = append(want, sameMemory(a1.mem, b2.mem)...)
	want = append(want, pr.sameRegisters(d, b.to(), b1.regs, b2.regs)...)
	if goal = and(want); b.fails != nil && goal != "true" {
		goal = or([]string{goal, pr.failsInstead(d, b, regsB, b1, a1, a2)})
	}
	return given, goal
}

// rightGoal is for a load a right before b.
func (pr *prover) rightGoal(c *class, a *action, d *class, b *action) (given []string, goal string) {
	if !b.writes() {
		return nil, "true"
	}
	m, regsA, regsB := pr.memory("m"), pr.registers(c, "a"), pr.registers(d, "b")
	op := &a.first().Op
	p := pr.locate(op, pr.env(regsA))
	pieces, seen := pr.regions[p.region].bytewise(), m
	if b.section || pieces {
		seen = pr.write(pr.memory("f"), p, op.Type, pr.read(m, p, op.Type))
	}
	var own []string // whether the load has a byte from its own buffer
	if pieces && pr.splits(c, a.first()) {
		for i := range op.Type.Size() {
			own = append(own, fmt.Sprintf("own_byte%d", i))
			pr.declareConst(own[i], "Bool")
		}
		seen = pr.blend(pr.memory("f"), seen, p, own)
	}
	a1 := pr.run(a, "a", run{regs: regsA, mem: m})
	b1 := pr.run(b, "b", run{regs: regsB, mem: seen})
	a2 := pr.run(a, "a", run{regs: regsA, mem: pr.blend(m, b1.mem, p, own)})
	given = append(pr.given(c, a, regsA, d, b, regsB, m), a1.guard...)
	given = append(given, b1.guard...)
	var want []string
	if !slices.Equal(a1.guard, a2.guard) {
		want = append(want, a2.guard...)
	}
	return given, and(append(want, pr.sameRegisters(c, a.to(), a1.regs, a2.regs)...))
}

// ask asks whether the goal follows, and if not where it fails.
func (pr *prover) ask(c *class, l ir.Loc, d *class, n ir.Loc, given []string, goal string) *pairAnswer {
	if pr.err != nil {
		return &pairAnswer{vague: true}
	}
	if goal == "true" {
		return &pairAnswer{holds: true}
	}
	names, terms := pr.shown(c, l, d, n)
	status, values, err := pr.solver.Check(nil, append(given, not(goal)), terms)
	if err != nil {
		pr.err = err
		return &pairAnswer{vague: true}
	}
	switch status {
	case smt.Unsat:
		return &pairAnswer{holds: true}
	case smt.Sat:
		ans := &pairAnswer{}
		for i, v := range values {
			ans.state = append(ans.state, verdict.ProofValue{Name: names[i], Value: v})
		}
		return ans
	default:
		return &pairAnswer{vague: true}
	}
}

// shown lists what a state is described by: variables, and live registers of two
// threads at two places. d may be nil.
func (pr *prover) shown(c *class, l ir.Loc, d *class, n ir.Loc) (names, terms []string) {
	m := pr.memory("m")
	for i := range m {
		if pr.isSingle(i) {
			names, terms = append(names, pr.name(i)), append(terms, pr.value(m, i))
		}
	}
	add := func(c *class, l ir.Loc, role, prefix string) {
		for r, term := range pr.registers(c, role) {
			if !pr.facts.IsLive(pr.prog.Threads[c.thread].Func, l, ir.Reg(r)) {
				continue
			}
			names, terms = append(names, prefix+":"+c.f.Regs[r].Name), append(terms, term)
		}
	}
	first, second := c.name, ""
	if d != nil {
		if second = d.name; d == c {
			first, second = c.name+"[0]", c.name+"[1]"
		}
	}
	add(c, l, "a", first)
	if d != nil {
		add(d, n, "b", second)
	}
	return names, terms
}

// everything is what describes a state where a given invariant fails: variables, and
// all registers of the thread it is about and of the one that breaks it.
func (pr *prover) everything(c, d *class) (names, terms []string) {
	m := pr.memory("m")
	for i := range m {
		if pr.isSingle(i) {
			names, terms = append(names, pr.name(i)), append(terms, pr.value(m, i))
		}
	}
	for r, term := range pr.registers(c, "a") {
		names, terms = append(names, c.name+":"+c.f.Regs[r].Name), append(terms, term)
	}
	if d != nil && d != c {
		for r, term := range pr.registers(d, "b") {
			names, terms = append(names, d.name+":"+d.f.Regs[r].Name), append(terms, term)
		}
	}
	return names, terms
}
