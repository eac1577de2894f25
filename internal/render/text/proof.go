package text

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// proof prints the answer to whether a program can be proved value-robust.
func (p *printer) proof(r *verdict.Result) {
	p.proofHeadline(r)
	for _, warning := range r.Warnings {
		p.message("warning", warning.Code, warning.Pos, warning.Message)
	}
	p.proofChecks(r)
	p.proofStores(r)
	p.proofGrounds(r.Proof)
	for i := range r.Engines {
		p.line("")
		p.line("%s", underSC(r, &r.Engines[i]))
	}
	p.line("")
	stats := fmt.Sprintf("PO %d, VT %.2f s: %s, %s to %s", r.Proof.Obligations, r.Stats.Seconds,
		counted(int64(r.Proof.Obligations), "proof obligation", "proof obligations"), counted(int64(r.Proof.Queries), "query", "queries"), r.Proof.Solver)
	p.line("%s", p.opt.paint(dim, stats+SecondSolver(r.Proof)))
}

// SecondSolver says what a second solver answered; "" if none was asked.
func SecondSolver(proof *verdict.Proof) string {
	s := proof.CheckedWith
	if s == nil {
		return ""
	}
	line := fmt.Sprintf("; %s confirms %d", oneLine(s.Solver), s.Confirmed)
	if s.Open > 0 {
		line += fmt.Sprintf(" and gives no answer to %d", s.Open)
	}
	if s.Disputed > 0 {
		line += fmt.Sprintf(" and contradicts %d", s.Disputed)
	}
	return line
}

// proofChecks prints what became of the program's own checks.
func (p *printer) proofChecks(r *verdict.Result) {
	if len(r.Proof.Checks) == 0 {
		return
	}
	t := proofTable{{"where", "check"}}
	for i := range r.Proof.Checks {
		c := &r.Proof.Checks[i]
		t = append(t, []string{where(c.ProofInstruction), CheckedCondition(r, c)})
	}
	p.line("")
	p.proofHead(t, "status")
	weak := strings.ToUpper(r.Model)
	model := "under " + weak
	if r.Verdict == verdict.Unknown {
		model = "under SC, and nothing is shown for " + weak
	}
	for i := range r.Proof.Checks {
		c := &r.Proof.Checks[i]
		head := t.row(i + 1)
		switch {
		case c.Proved && c.By != "": // the search was under the model if the proof does not carry over from SC
			p.line("%s  holds under %s: by search (%s)", head, weak, c.By)
		case c.Proved:
			p.line("%s  holds %s: by induction", head, model)
		case c.Vague:
			p.line("%s  %s: the solver gave no answer", head, p.opt.paint(yellow, "not proved"))
		default:
			p.line("%s  %s", head, p.opt.paint(yellow, "not proved"))
			for _, line := range OpenCheck(c) {
				p.line("      %s", line)
			}
		}
	}
}

// OpenCheck says why a check is not proved: the state in which it fails, and what excludes that state.
func OpenCheck(c *verdict.ProofCheck) []string {
	var out []string
	if len(c.State) > 0 {
		out = append(out, "the invariants allow "+values(c.State))
	}
	for i := range c.Missing {
		m := &c.Missing[i]
		which := "this state violates"
		if m.Proves {
			which = "it would be proved with"
		}
		line := fmt.Sprintf("%s %s%s, which holds in all states of small instances that were tried", which, oneLine(m.Cond), whereHolds(m))
		why := "and is not proved: it " + oneLine(m.Fails)
		if m.Step != nil && m.Step.Text != "" {
			why += fmt.Sprintf(" (%s)", oneLine(m.Step.Text))
		}
		if len(m.State) > 0 {
			why += ", for example from " + values(m.State)
		}
		out = append(out, line, "  "+why)
	}
	return out
}

func whereHolds(m *verdict.ProofMissing) string {
	if m.Thread == "" {
		return ""
	}
	return " (" + where(m.ProofInstruction) + ")"
}

// proofTable has all columns of the rows of a table but the last, the head first.
type proofTable [][]string

// widestCell is the width up to which the columns of a proofTable are aligned.
const widestCell = 40

// row returns a row up to its last column.
func (t proofTable) row(i int) string {
	width := make([]int, len(t[0]))
	for _, cells := range t {
		for c, text := range cells {
			if n := utf8.RuneCountInString(text); n <= widestCell {
				width[c] = max(width[c], n)
			}
		}
	}
	line := ""
	for c, text := range t[i] {
		line += "  " + pad(text, width[c])
	}
	return line
}

func (p *printer) proofHead(t proofTable, last string) {
	p.line("%s", p.opt.paint(bold, t.row(0)+"  "+last))
}

// proofStores prints the type of mover of each store and of each load that may overtake it, and what is missing.
func (p *printer) proofStores(r *verdict.Result) {
	if len(r.Proof.Stores) == 0 {
		return
	}
	rows := AccessRows(r.Proof)
	t := proofTable{{"where", "access", "mover"}}
	for _, row := range rows {
		t = append(t, []string{where(row.At), instruction(row.At), row.Mover})
	}
	p.line("")
	p.proofHead(t, "why")
	for i, row := range rows {
		why := row.Why
		if row.Open {
			why = p.opt.paint(yellow, why)
		}
		p.line("%s  %s", t.row(i+1), why)
		if i < len(r.Proof.Stores) && row.Open {
			p.proofBlocks(&r.Proof.Stores[i])
		}
	}
}

// CheckedCondition returns what a check demands: an assertion as the program has it, and not the message about its
// failure.
func CheckedCondition(r *verdict.Result, c *verdict.ProofCheck) string {
	if c.Failure != "" && c.Text != "" {
		return fmt.Sprintf("%s: no %s", oneLine(c.Text), oneLine(c.Failure))
	}
	pos := c.Pos
	if pos == nil || c.Thread == "" || pos.EndLine != pos.Line || pos.Line < 1 {
		return oneLine(c.What)
	}
	lines := strings.Split(r.Sources[pos.File], "\n")
	if pos.Line > len(lines) || pos.Col < 1 || pos.EndCol > len(lines[pos.Line-1])+1 || pos.EndCol < pos.Col {
		return oneLine(c.What)
	}
	text := lines[pos.Line-1][pos.Col-1 : pos.EndCol-1]
	if !strings.HasPrefix(text, "assert ") { // in .fp; messages about C are the condition already
		return oneLine(c.What)
	}
	text, _, _ = strings.Cut(text, ", \"")
	return oneLine(strings.TrimRight(text, "; "))
}

// proofBlocks prints what keeps a store from being atomic.
func (p *printer) proofBlocks(s *verdict.ProofStore) {
	for i := range s.Blocks {
		p.proofPair("    does not move left across", &s.Blocks[i])
	}
	for _, l := range s.Loads {
		for i := range l.Blocks {
			p.proofPair(fmt.Sprintf("    can be overtaken by %s (%s), which does not move right across", instruction(l.ProofInstruction), where(l.ProofInstruction)), &l.Blocks[i])
		}
	}
	for i, repair := range s.Repairs {
		word := "    would help:"
		if i > 0 {
			word = "    or:"
		}
		p.line("%s %s", word, oneLine(repair))
	}
}

func (p *printer) proofPair(what string, pair *verdict.ProofPair) {
	p.line("%s %s of %s (%s)", what, instruction(pair.ProofInstruction), oneLine(pair.Thread), where(pair.ProofInstruction))
	switch {
	case pair.Vague:
		p.line("      the solver gave no answer")
	case len(pair.State) > 0:
		p.line("      for example with %s", values(pair.State))
	}
}

func values(state []verdict.ProofValue) string {
	parts := make([]string, len(state))
	for i, v := range state {
		parts[i] = v.Name + " = " + v.Value
	}
	return oneLine(strings.Join(parts, ", "))
}

// proofGrounds prints what the proof rests on.
func (p *printer) proofGrounds(proof *verdict.Proof) {
	if len(proof.Abstractions) > 0 {
		p.line("")
	}
	for _, a := range proof.Abstractions {
		sound := "which always allows the value in memory"
		if !a.Sound {
			sound = "which does not always allow the value in memory"
		}
		if a.Fails {
			p.line("abstracted: %s  %s: %s", where(a.ProofInstruction), instruction(a.ProofInstruction), oneLine(a.Cond))
		} else if a.Found {
			p.line("abstracted: %s  %s  to %s, %s", where(a.ProofInstruction), instruction(a.ProofInstruction), oneLine(a.Cond), sound)
		} else if a.Cond != "" {
			p.line("abstraction in the program: %s  %s  to %s, %s", where(a.ProofInstruction), instruction(a.ProofInstruction), oneLine(a.Cond), sound)
		} else {
			p.line("abstraction in the program: %s  %s, %s", where(a.ProofInstruction), instruction(a.ProofInstruction), sound)
		}
	}
	found, shown := 0, false
	for i := range proof.Invariants {
		inv := &proof.Invariants[i]
		if inv.Found {
			found++
			continue
		}
		if !shown {
			p.line("")
			shown = true
		}
		if inv.Fails == "" {
			p.line("invariant: %s  %s", where(inv.ProofInstruction), oneLine(inv.Cond))
			continue
		}
		p.line("%s: %s  %s: %s", p.opt.paint(yellow, "no invariant"), where(inv.ProofInstruction), oneLine(inv.Cond), oneLine(inv.Fails))
		if len(inv.State) > 0 {
			p.line("    for example with %s", values(inv.State))
		}
	}
	for i, g := range proof.Ghosts {
		if i == 0 && !shown {
			p.line("")
		}
		p.line("ghost code: %s  %s", where(g), oneLine(g.Text))
	}
	if found > 0 {
		p.line("")
		p.line("%s found; --json lists them", counted(int64(found), "invariant", "invariants"))
	}
}

// underSC says what the answer under SC is worth.
func underSC(r *verdict.Result, e *verdict.EngineReport) string {
	weak := strings.ToUpper(r.Model)
	word, _ := verdictWord(e.Verdict)
	if e.Reason != "" {
		word += ": " + oneLine(e.Reason)
	}
	switch {
	case r.Verdict == verdict.ValueRobust:
		return fmt.Sprintf("under SC (%s), and therefore under %s: %s", e.Engine, weak, word)
	case e.Verdict == verdict.Safe || e.Verdict == verdict.NotObserved:
		return fmt.Sprintf("the abstracted program under SC (%s), and therefore the program under %s: %s", e.Engine, weak, word)
	default:
		return fmt.Sprintf("the abstracted program under SC (%s): %s; that says nothing about the program itself", e.Engine, word)
	}
}

// where is file and line.
func where(at verdict.ProofInstruction) string {
	if at.Pos == nil || at.Pos.Line == 0 {
		return oneLine(at.Thread)
	}
	return fmt.Sprintf("%s:%d", oneLine(path.Base(at.Pos.File)), at.Pos.Line)
}

func instruction(at verdict.ProofInstruction) string {
	if at.Text == "" {
		return "an instruction of " + oneLine(at.Thread)
	}
	return oneLine(at.Text)
}
