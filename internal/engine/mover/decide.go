package mover

import (
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// pairAnswer is the answer about a pair.
type pairAnswer struct {
	holds bool
	asked bool                 // it is no matter of different variables
	state []verdict.ProofValue // where it does not hold
	vague bool                 // the solver gave up
}

// ask asks the solver whether the goal follows. If not, the answer has a state in which it fails.
func (pr *problem) ask(c *class, l ir.Loc, d *class, n ir.Loc, given []string, goal string) *pairAnswer {
	if pr.err != nil {
		return &pairAnswer{vague: true}
	}
	if goal == "true" {
		return &pairAnswer{holds: true}
	}
	names, terms := pr.shown(c, l, d, n)
	status, values, err := pr.asker.check(given, []string{goal}, terms)
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

// shown returns the terms that describe a state: variables, and live registers of two threads at
// two locations. d may be nil.
func (pr *problem) shown(c *class, l ir.Loc, d *class, n ir.Loc) (names, terms []string) {
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

// everything returns the terms that describe a state in which a given invariant fails: variables,
// and all registers of the thread it is about and of the thread that violates it.
func (pr *problem) everything(c, d *class) (names, terms []string) {
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

// implied reports whether a goal is implied.
func (pr *problem) implied(given []string, goal string) bool {
	return pr.ask(pr.classes[0], 0, nil, 0, given, goal).holds
}
