package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Decision is the answer about a pair.
type Decision struct {
	Holds bool
	Asked bool                 // it is no matter of different variables
	State []verdict.ProofValue // where it does not hold
	Vague bool                 // the solver gave up
}

// Ask asks the solver whether the goal follows. If not, the answer has a state in which it fails.
func (pr *Problem) Ask(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc, given []smt.Term, goal smt.Term) *Decision {
	if pr.Err != nil {
		return &Decision{Vague: true}
	}
	if goal.IsTrue() {
		return &Decision{Holds: true}
	}
	names, terms := pr.DescribeState(c, l, d, n)
	status, values, err := pr.Asker.Check(given, []smt.Term{goal}, terms)
	if err != nil {
		pr.Err = err
		return &Decision{Vague: true}
	}
	switch status {
	case smt.Unsat:
		return &Decision{Holds: true}
	case smt.Sat:
		ans := &Decision{}
		for i, v := range values {
			ans.State = append(ans.State, verdict.ProofValue{Name: names[i], Value: v})
		}
		return ans
	default:
		return &Decision{Vague: true}
	}
}

// DescribeState returns the terms that describe a state: variables, and live registers of two threads at
// two locations. d may be nil.
func (pr *Problem) DescribeState(c *program.Class, l ir.Loc, d *program.Class, n ir.Loc) (names []string, terms []smt.Term) {
	m := pr.Memory("m")
	for i := range m {
		if pr.IsSingle(i) {
			names, terms = append(names, pr.Name(i)), append(terms, pr.Value(m, i))
		}
	}
	add := func(c *program.Class, l ir.Loc, role, prefix string) {
		for r, term := range pr.Registers(c, role) {
			if !pr.Facts.IsLive(pr.Prog.Threads[c.Thread].Func, l, ir.Reg(r)) {
				continue
			}
			names, terms = append(names, prefix+":"+c.Code.Regs[r].Name), append(terms, term)
		}
	}
	first, second := c.Name, ""
	if d != nil {
		if second = d.Name; d == c {
			first, second = c.Name+"[0]", c.Name+"[1]"
		}
	}
	add(c, l, "a", first)
	if d != nil {
		add(d, n, "b", second)
	}
	return names, terms
}

// DescribeWholeState returns the terms that describe a state in which a given invariant fails: variables,
// and all registers of the thread it is about and of the thread that violates it.
func (pr *Problem) DescribeWholeState(c, d *program.Class) (names []string, terms []smt.Term) {
	m := pr.Memory("m")
	for i := range m {
		if pr.IsSingle(i) {
			names, terms = append(names, pr.Name(i)), append(terms, pr.Value(m, i))
		}
	}
	for r, term := range pr.Registers(c, "a") {
		names, terms = append(names, c.Name+":"+c.Code.Regs[r].Name), append(terms, term)
	}
	if d != nil && d != c {
		for r, term := range pr.Registers(d, "b") {
			names, terms = append(names, d.Name+":"+d.Code.Regs[r].Name), append(terms, term)
		}
	}
	return names, terms
}

// Implied reports whether a goal is implied.
func (pr *Problem) Implied(given []smt.Term, goal smt.Term) bool {
	return pr.Ask(pr.Classes[0], 0, nil, 0, given, goal).Holds
}
