package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost/verdict"
)

// Litmus prints what a litmus test gave under one model in herd's layout, which
// programs read: no colours, no other words. Lines that herd does not have begin with
// Model, where named says that there are several, and Note.
func Litmus(w io.Writer, r *verdict.Result, named bool) {
	p := &printer{w: w}
	l := r.Litmus
	name := oneLine(l.Name)
	if named {
		p.line("Model %s", r.Model)
	}
	p.line("Test %s %s", name, l.Kind)
	p.line("States %d", len(r.FinalStates))
	for _, s := range r.FinalStates {
		p.line("%s", oneLine(s))
	}
	p.line("%s", litmusVerdict(r))
	p.line("Witnesses")
	p.line("Positive: %d Negative: %d", l.Positive, l.Negative)
	p.line("Condition %s", oneLine(l.Condition))
	p.line("Observation %s %s %d %d", name, l.Observation, l.Positive, l.Negative)
	p.line("Time %s %.2f", name, r.Stats.Seconds)
	if l.Hash != "" {
		p.line("Hash=%s", oneLine(l.Hash))
	}
	p.litmusNotes(r, "")
	if l.Arch == "C" {
		p.line("Note %s: under %s, not under the Linux kernel's model", name, modelName(r.Model))
	}
	p.line("")
}

// modelName returns a memory model with a processor that has it.
func modelName(model string) string {
	switch name := strings.ToUpper(model); name {
	case "TSO":
		return "TSO (x86)"
	default:
		return name
	}
}

// litmusVerdict is herd's word, with Loop before it where a bound cut off
// executions.
func litmusVerdict(r *verdict.Result) string {
	if len(r.Coverage.Met()) > 0 {
		return "Loop " + r.Litmus.Verdict
	}
	return r.Litmus.Verdict
}

func (p *printer) litmusNotes(r *verdict.Result, model string) {
	name := oneLine(r.Litmus.Name)
	for _, b := range r.Coverage.Bounds {
		p.line("Note %s%s: searched with %s", name, model, boundText(b))
	}
	for _, n := range r.Litmus.Notes {
		p.line("Note %s%s: %s", name, model, oneLine(n))
	}
}

// LitmusCompare prints which outcomes of a test appear under which model, and an
// execution for each that SC does not allow.
func LitmusCompare(w io.Writer, t *verdict.LitmusTest, opt Options) {
	if len(t.Results) == 0 {
		return
	}
	p := &printer{w: w, opt: opt}
	l := t.Results[0].Litmus
	p.line("%s", opt.paint(bold, fmt.Sprintf("Test %s %s", oneLine(l.Name), l.Kind)))
	p.line("Condition %s", oneLine(l.Condition))
	p.line("")
	states := allOutcomes(t)
	width := len("observation")
	for _, s := range states {
		width = max(width, utf8.RuneCountInString(s.State))
	}
	row := func(mark, first string, cell func(*verdict.Result) string) {
		line := mark + " " + pad(oneLine(first), width)
		for i := range t.Results {
			line += "  " + pad(cell(&t.Results[i]), len("Sometimes"))
		}
		p.line("%s", strings.TrimRight(line, " "))
	}
	row(" ", "", func(r *verdict.Result) string { return strings.ToUpper(r.Model) })
	if !slices.ContainsFunc(states, func(o verdict.LitmusOutcome) bool { return o.Holds }) {
		row("*", "asked for", func(r *verdict.Result) string { // its row is the point of the test
			if r.Litmus.Observation == "Unknown" {
				return "?"
			}
			return "-"
		})
	}
	for _, s := range states {
		mark := " "
		if s.Holds {
			mark = "*"
		}
		row(mark, s.State, func(r *verdict.Result) string {
			switch {
			case findOutcome(r, s.State) != nil:
				return "x"
			case r.Litmus.Observation == "Unknown" || r.Verdict == verdict.Unknown || !r.Coverage.Complete():
				return "?"
			}
			return "-"
		})
	}
	row(" ", "states", func(r *verdict.Result) string { return fmt.Sprint(len(r.FinalStates)) })
	row(" ", "condition", litmusVerdict)
	row(" ", "observation", func(r *verdict.Result) string { return r.Litmus.Observation })
	for i := range t.Results {
		p.litmusNotes(&t.Results[i], " under "+strings.ToUpper(t.Results[i].Model))
	}
	for _, s := range states {
		p.forbidden(t, s.State)
	}
	p.line("")
}

// allOutcomes is the outcomes of all models. A stronger model's are in herd's
// order; what only weaker ones have is put in where they have it.
func allOutcomes(t *verdict.LitmusTest) []verdict.LitmusOutcome {
	var all []verdict.LitmusOutcome
	seen := map[string]bool{}
	for i := range t.Results {
		at := 0
		for _, o := range t.Results[i].Litmus.Outcomes {
			if seen[o.State] {
				for all[at].State != o.State {
					at++
				}
				at++
				continue
			}
			seen[o.State] = true
			all = append(all[:at], append([]verdict.LitmusOutcome{o}, all[at:]...)...)
			at++
		}
	}
	return all
}

func findOutcome(r *verdict.Result, state string) *verdict.LitmusOutcome {
	for i := range r.Litmus.Outcomes {
		if o := &r.Litmus.Outcomes[i]; o.State == state {
			return o
		}
	}
	return nil
}

// forbidden shows an execution of an outcome that SC does not allow, under the
// first model that has it.
func (p *printer) forbidden(t *verdict.LitmusTest, state string) {
	for i := range t.Results {
		r := &t.Results[i]
		o := findOutcome(r, state)
		if o == nil || o.Witness == nil || o.SC == verdict.SCAllows || o.SC == "" {
			continue
		}
		why := "which SC forbids"
		if o.SC != verdict.SCForbids {
			why = "which was not seen under SC within the bounds"
		}
		p.line("")
		p.line("%s", p.opt.paint(bold, fmt.Sprintf("%s under %s, %s:", oneLine(state), strings.ToUpper(r.Model), why)))
		p.picture(&verdict.Execution{Verdict: verdict.Observed, Witness: o.Witness}, r.Model)
		return
	}
}

// LitmusSummary prints what many tests gave: every difference from what was
// expected, then one line.
func LitmusSummary(w io.Writer, s *verdict.LitmusSummary, opt Options) {
	p := &printer{w: w, opt: opt}
	for _, d := range s.Differences {
		where := oneLine(d.File)
		if d.Model != "" {
			where += " under " + strings.ToUpper(d.Model)
		}
		p.line("%s %s: %s", opt.paint(red, "difference:"), where, oneLine(d.Message))
	}
	parts := []string{counted(int64(s.Tests), "test", "tests")}
	if s.Runs != s.Tests {
		parts[0] += ", " + counted(int64(s.Runs), "run", "runs")
	}
	if answers := nonZero(count{s.Ok, "Ok"}, count{s.No, "No"}, count{s.Unknown, "Unknown"}); answers != "" {
		parts[0] += ": " + answers
	}
	if more := nonZero(count{s.Sometimes, "Sometimes"}, count{s.Always, "Always"}, count{s.Never, "Never"}); more != "" {
		parts = append(parts, more)
	}
	if more := nonZero(count{s.Bounded, "bounded"}, count{s.Refused, "not readable"}, count{s.Failed, "failed"}, count{s.NotRun, "not run"}); more != "" {
		parts = append(parts, more)
	}
	if s.Compared {
		what := "no difference"
		if n := len(s.Differences); n > 0 {
			what = counted(int64(n), "difference", "differences")
		}
		parts = append(parts, fmt.Sprintf("%s from %s", what, counted(int64(s.Expected), "expected answer", "expected answers")))
	}
	parts = append(parts, duration(s.Seconds))
	if len(s.Models) > 0 {
		var names []string
		for _, m := range s.Models {
			names = append(names, modelName(m))
		}
		parts = append(parts, "under "+strings.Join(names, ", "))
	}
	p.line("%s", strings.Join(parts, "; "))
}

type count struct {
	n    int
	what string
}

// nonZero lists the counts that are not 0.
func nonZero(all ...count) string {
	var parts []string
	for _, c := range all {
		if c.n != 0 {
			parts = append(parts, Count(int64(c.n))+" "+c.what)
		}
	}
	return strings.Join(parts, ", ")
}
