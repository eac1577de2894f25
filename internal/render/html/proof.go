package html

import (
	"fmt"
	"strings"

	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// proof is an answer of prove as tables.
type proof struct {
	Checks       []proofRow
	Stores       []proofRow
	Invariants   []proofRow // given in the program
	Found        []proofRow // by fencepost
	Abstractions []proofRow
	Grounds      string // obligations, queries, solver
	Integers     bool   // numbers are unbounded in the proof
}

// proofRow is a row of one of the tables.
type proofRow struct {
	Where  string
	What   string
	Class  string // good, open
	Status string
	Why    []string
}

// proof sets the answer about a proof: what is open first.
func (v *result) proof(r *verdict.Result) {
	p := r.Proof
	one := &proof{Integers: p.Arithmetic == verdict.ProofIntegers}
	one.Grounds = fmt.Sprintf("%s, %s to %s", plural(p.Obligations, "proof obligation"), strings.Replace(plural(p.Queries, "query"), "querys", "queries", 1), p.Solver)
	model := "holds under TSO"
	if r.Verdict == verdict.Unknown {
		model = "holds under SC"
	}
	for i := range p.Checks {
		c := &p.Checks[i]
		row := proofRow{Where: positionText(c.Pos), What: text.CheckedCondition(r, c), Class: "open", Status: "not proved"}
		switch {
		case c.Proved && c.By != "":
			row.Class, row.Status, row.Why = "good", "holds under TSO", []string{"by search (" + c.By + ")"}
		case c.Proved:
			row.Class, row.Status, row.Why = "good", model, []string{"by induction"}
		case c.Vague:
			row.Why = []string{"the solver gave no answer"}
		case len(c.State) > 0:
			row.Why = []string{"the invariants allow " + stateText(c.State)}
		}
		one.Checks = append(one.Checks, row)
	}
	for i := range p.Stores {
		one.Stores = append(one.Stores, storeRow(&p.Stores[i]))
	}
	for i := range p.Invariants {
		row := invariantRow(&p.Invariants[i])
		if p.Invariants[i].Found {
			one.Found = append(one.Found, row)
		} else {
			one.Invariants = append(one.Invariants, row)
		}
	}
	for _, a := range p.Abstractions {
		row := proofRow{Where: positionText(a.Pos), What: instruction(a.ProofInstruction), Class: "good", Status: "abstracted", Why: []string{a.Cond}}
		if !a.Sound {
			row.Class = "open"
			row.Why = append(row.Why, "does not always allow the value in memory")
		}
		one.Abstractions = append(one.Abstractions, row)
	}
	v.Proof = one
	v.Under = ""
	shows := "It is not shown that TSO and SC reach the same shared states."
	switch r.Verdict {
	case verdict.ValueRobust:
		v.Word, shows = "value-robust", "TSO and SC reach the same shared states."
	case verdict.Abstracted:
		v.Word, shows = "proved on an abstraction", "What holds for the abstracted program under SC holds for this program under TSO."
	default:
		v.Word = "not proved value-robust"
	}
	if open := p.Open(); open > 0 {
		v.Class = "open"
		v.Word = fmt.Sprintf("not proved: %d of %s open", open, plural(len(p.Checks), "check"))
		if p.Instances > 0 {
			shows += " " + text.SearchedInstances(p) + "."
		}
	}
	if p.MaxThreads > 0 && r.Verdict != verdict.Unknown {
		shows += " This is " + text.CountedThreads(p) + "."
	}
	if v.Reason != "" {
		shows = v.Reason + ". " + shows
	}
	v.Reason = shows
}

func storeRow(s *verdict.ProofStore) proofRow {
	row := proofRow{Where: positionText(s.Pos), What: instruction(s.ProofInstruction), Class: "good", Status: "atomic"}
	switch s.By {
	case verdict.ByFlow:
		row.Why = []string{"no later load"}
	case verdict.ByLeft:
		row.Why = []string{"moves left"}
	case verdict.ByRight:
		for _, l := range s.Loads {
			row.Why = append(row.Why, fmt.Sprintf("overtaken only by %s (%s), which moves right", instruction(l.ProofInstruction), positionText(l.Pos)))
		}
	default:
		row.Class, row.Status = "open", "not shown to be atomic"
		for i := range s.Blocks {
			row.Why = append(row.Why, "does not move left across "+pairText(&s.Blocks[i]))
		}
		for _, l := range s.Loads {
			for i := range l.Blocks {
				row.Why = append(row.Why, fmt.Sprintf("can be overtaken by %s (%s), which does not move right across %s",
					instruction(l.ProofInstruction), positionText(l.Pos), pairText(&l.Blocks[i])))
			}
		}
		for _, repair := range s.Repairs {
			row.Why = append(row.Why, "would help: "+repair)
		}
	}
	return row
}

func invariantRow(inv *verdict.ProofInvariant) proofRow {
	row := proofRow{Where: positionText(inv.Pos), What: inv.Cond, Class: "good", Status: "given"}
	if inv.Thread == "" && inv.Pos == nil {
		row.Where = "always"
	}
	if inv.Found {
		row.Status = "found"
	}
	if inv.Unreachable {
		row.Why = append(row.Why, "no state satisfies the invariants here")
	}
	if inv.Fails != "" {
		row.Class, row.Status = "open", "no invariant"
		row.Why = append(row.Why, inv.Fails)
		if len(inv.State) > 0 {
			row.Why = append(row.Why, "for example with "+stateText(inv.State))
		}
	}
	return row
}

func pairText(p *verdict.ProofPair) string {
	line := fmt.Sprintf("%s of %s (%s)", instruction(p.ProofInstruction), p.Thread, positionText(p.Pos))
	switch {
	case p.Vague:
		line += "; the solver gave no answer"
	case len(p.State) > 0:
		line += ", for example with " + stateText(p.State)
	}
	return line
}

func stateText(state []verdict.ProofValue) string {
	parts := make([]string, len(state))
	for i, v := range state {
		parts[i] = v.Name + " = " + v.Value
	}
	return strings.Join(parts, ", ")
}

func instruction(i verdict.ProofInstruction) string {
	if i.Text == "" {
		return "an instruction of " + i.Thread
	}
	return i.Text
}
