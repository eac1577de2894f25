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
		p.line("%s", underSC(r.Verdict, &r.Engines[i]))
	}
	p.line("")
	stats := fmt.Sprintf("PO %d, VT %.2f s: %s, %s to %s", r.Proof.Obligations, r.Stats.Seconds,
		counted(int64(r.Proof.Obligations), "proof obligation", "proof obligations"), counted(int64(r.Proof.Queries), "query", "queries"), r.Proof.Solver)
	if r.Proof.Arithmetic == verdict.ProofIntegers {
		p.line("numbers are treated as unbounded integers: executions in which they wrap around are not covered")
	}
	p.line("%s", p.opt.paint(dim, stats))
}

// proofChecks prints what became of the program's own checks.
func (p *printer) proofChecks(r *verdict.Result) {
	if len(r.Proof.Checks) == 0 {
		return
	}
	t := proofTable{{"where", "check"}}
	for i := range r.Proof.Checks {
		c := &r.Proof.Checks[i]
		t = append(t, [2]string{where(c.ProofInstruction), CheckedCondition(r, c)})
	}
	p.line("")
	p.proofHead(t)
	model := "under TSO"
	if r.Verdict == verdict.Unknown {
		model = "under SC, which says nothing about TSO as long as not all stores are proved atomic"
	}
	for i := range r.Proof.Checks {
		c := &r.Proof.Checks[i]
		head := t.row(i + 1)
		switch {
		case c.Proved && c.By != "": // the search was under TSO if the proof does not carry over from SC
			p.line("%s  holds under TSO: by search (%s)", head, c.By)
		case c.Proved:
			p.line("%s  holds %s: by induction", head, model)
		case c.Vague:
			p.line("%s  %s: the solver gave no answer", head, p.opt.paint(yellow, "not proved"))
		default:
			p.line("%s  %s", head, p.opt.paint(yellow, "not proved"))
			if len(c.State) > 0 {
				p.line("      the invariants allow %s", values(c.State))
			}
		}
	}
}

// proofTable has the first two columns of the rows of a table, the head first.
type proofTable [][2]string

// widestCell is the width up to which the columns of a proofTable are aligned.
const widestCell = 40

// row returns a row up to its last column.
func (t proofTable) row(i int) string {
	var width [2]int
	for _, cells := range t {
		for c, text := range cells {
			if n := utf8.RuneCountInString(text); n <= widestCell {
				width[c] = max(width[c], n)
			}
		}
	}
	return "  " + pad(t[i][0], width[0]) + "  " + pad(t[i][1], width[1])
}

func (p *printer) proofHead(t proofTable) {
	p.line("%s", p.opt.paint(bold, t.row(0)+"  status"))
}

// proofStores prints why each store is atomic, or what is missing.
func (p *printer) proofStores(r *verdict.Result) {
	if len(r.Proof.Stores) == 0 {
		return
	}
	t := proofTable{{"where", "store"}}
	for i := range r.Proof.Stores {
		s := &r.Proof.Stores[i]
		t = append(t, [2]string{where(s.ProofInstruction), instruction(s.ProofInstruction)})
	}
	p.line("")
	p.proofHead(t)
	for i := range r.Proof.Stores {
		p.proofStore(t.row(i+1), &r.Proof.Stores[i])
	}
}

// CheckedCondition returns what a check demands: an assertion as the program has it, and not the message about its
// failure.
func CheckedCondition(r *verdict.Result, c *verdict.ProofCheck) string {
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

func (p *printer) proofHeadline(r *verdict.Result) {
	if n := r.Proof.Open(); n > 0 && r.Verdict != verdict.Unknown {
		p.line("%s: %s", ProgramName(r), p.opt.paint(yellow, fmt.Sprintf("not proved: %d of %s open", n, counted(int64(len(r.Proof.Checks)), "check", "checks"))))
		p.proved("  ", r)
		if r.Proof.Instances == 0 {
			p.line("  `fencepost check` searches for an execution that violates them")
		} else {
			p.line("  %s", SearchedInstances(r.Proof))
		}
		return
	}
	p.proved(ProgramName(r)+": ", r)
}

// SearchedInstances says what the search of instances found about the open checks of a proof.
func SearchedInstances(proof *verdict.Proof) string {
	return fmt.Sprintf("no execution with up to %s per template violates a check: an invariant is missing, or it takes more threads",
		counted(int64(proof.Instances), "thread", "threads"))
}

// CountedThreads says for how many threads a proof is, if not for any number.
func CountedThreads(proof *verdict.Proof) string {
	return fmt.Sprintf("for up to %s: the proof counts threads in a variable that would wrap around with more",
		counted(proof.MaxThreads, "thread", "threads"))
}

// proved says what is proved about the program as a whole.
func (p *printer) proved(head string, r *verdict.Result) {
	switch r.Verdict {
	case verdict.ValueRobust:
		p.line("%s%s: TSO and SC reach the same shared states", head, p.opt.paint(green, "value-robust"))
	case verdict.Abstracted:
		found := 0
		for _, a := range r.Proof.Abstractions {
			if a.Found {
				found++
			}
		}
		p.line("%s%s: what holds for the abstracted program under SC holds for this program under TSO", head,
			p.opt.paint(green, "abstracted in "+counted(int64(found), "load", "loads")))
		p.line("  this does not show that TSO reaches the same states as SC: the program itself may reach more under TSO")
	default:
		p.unknown(head+p.opt.paint(yellow, "not proved value-robust"), r)
		return
	}
	if r.Proof.MaxThreads > 0 {
		p.line("  %s", CountedThreads(r.Proof))
	}
}

func (p *printer) proofStore(head string, s *verdict.ProofStore) {
	switch s.By {
	case verdict.ByFlow:
		p.line("%s  atomic: no later load", head)
	case verdict.ByRight:
		var loads []string
		for _, l := range s.Loads {
			loads = append(loads, fmt.Sprintf("%s (%s)", instruction(l.ProofInstruction), where(l.ProofInstruction)))
		}
		p.line("%s  atomic: what can overtake it moves right: %s", head, strings.Join(loads, ", "))
	case verdict.ByLeft:
		p.line("%s  atomic: moves left", head)
	default:
		p.line("%s  %s", head, p.opt.paint(yellow, "not shown to be atomic"))
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
	if found > 0 {
		p.line("")
		p.line("%s found; --json lists them", counted(int64(found), "invariant", "invariants"))
	}
}

// underSC says what the answer under SC is worth.
func underSC(v verdict.Verdict, e *verdict.EngineReport) string {
	word, _ := verdictWord(e.Verdict)
	if e.Reason != "" {
		word += ": " + oneLine(e.Reason)
	}
	switch {
	case v == verdict.ValueRobust:
		return fmt.Sprintf("under SC (%s), and therefore under TSO: %s", e.Engine, word)
	case e.Verdict == verdict.Safe || e.Verdict == verdict.NotObserved:
		return fmt.Sprintf("the abstracted program under SC (%s), and therefore the program under TSO: %s", e.Engine, word)
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
