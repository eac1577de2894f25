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
	Accesses     []proofRow
	Invariants   []proofRow // given in the program, and ghost code
	Found        []proofRow // by fencepost
	Abstractions []proofRow
	Grounds      string // obligations, queries, solver
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
	one := &proof{}
	one.Grounds = fmt.Sprintf("%s, %s to %s", plural(p.Obligations, "proof obligation"), strings.Replace(plural(p.Queries, "query"), "querys", "queries", 1), p.Solver) + text.SecondSolver(p)
	weak := strings.ToUpper(r.Model)
	model := "holds under " + weak
	if r.Verdict == verdict.Unknown {
		model = "holds under SC"
	}
	for i := range p.Checks {
		c := &p.Checks[i]
		row := proofRow{Where: positionText(c.Pos), What: text.CheckedCondition(r, c), Class: "open", Status: "not proved"}
		switch {
		case c.Proved && c.By != "":
			row.Class, row.Status, row.Why = "good", "holds under "+weak, []string{"by search (" + c.By + ")"}
		case c.Proved:
			row.Class, row.Status, row.Why = "good", model, []string{"by induction"}
		case c.Vague:
			row.Why = []string{"the solver gave no answer"}
		default:
			row.Why = text.OpenCheck(c)
		}
		one.Checks = append(one.Checks, row)
	}
	for i, row := range text.AccessRows(p) {
		var store *verdict.ProofStore
		if i < len(p.Stores) {
			store = &p.Stores[i]
		}
		one.Accesses = append(one.Accesses, accessRow(&row, store))
	}
	for i := range p.Invariants {
		row := invariantRow(&p.Invariants[i])
		if p.Invariants[i].Found {
			one.Found = append(one.Found, row)
		} else {
			one.Invariants = append(one.Invariants, row)
		}
	}
	for _, g := range p.Ghosts {
		one.Invariants = append(one.Invariants, proofRow{Where: positionText(g.Pos), What: g.Text, Class: "good", Status: "ghost code"})
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
	v.Word, v.Class = text.ProofHeadline(r), "good"
	if !text.ProofComplete(r) {
		v.Class = "open"
	}
	var shows []string
	if v.Reason != "" {
		shows = append(shows, v.Reason+".")
	}
	if r.Verdict == verdict.Unknown {
		shows = append(shows, "It is not shown that "+weak+" and SC reach the same shared states.")
	} else {
		for _, line := range text.ProofScope(r) {
			shows = append(shows, strings.ToUpper(line[:1])+line[1:]+".")
		}
	}
	v.Reason = strings.Join(shows, " ")
}

// accessRow is a row of the table of accesses; s is the store with its blocks, or nil for a load.
func accessRow(a *text.AccessRow, s *verdict.ProofStore) proofRow {
	row := proofRow{Where: positionText(a.At.Pos), What: instruction(a.At), Class: "good", Status: a.Mover, Why: []string{a.Why}}
	if !a.Open {
		return row
	}
	row.Class = "open"
	if s == nil {
		return row
	}
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
