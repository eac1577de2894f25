//go:build !fencepost_small

package text

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/verdict"
)

// The words of answers about linearizability.

// linearizability prints what was compared with what, and the calls that go wrong.
func (p *printer) linearizability(r *verdict.Result) {
	lin := r.Linearizability
	if lin == nil {
		return
	}
	for _, line := range LinLines(lin) {
		p.line("  %s", oneLine(line))
	}
	if lin.History == nil {
		p.mutants(lin)
		for _, hint := range lin.Hints {
			p.line("  %s", oneLine(hint))
		}
		return
	}
	p.history(r)
}

// history prints the calls that go wrong, if there are any.
func (p *printer) history(r *verdict.Result) {
	lin := r.Linearizability
	if lin == nil || lin.History == nil {
		return
	}
	p.line("")
	p.calls(lin)
	for _, line := range HistoryLines(lin.History) {
		p.line("%s", oneLine(line))
	}
	for _, hint := range lin.Hints {
		p.line("%s", oneLine(hint))
	}
	if lin.File != "" {
		p.line("An execution, of the client that `fencepost lin -o %s` writes:", oneLine(lin.File))
	}
}

// repaired prints about a repair what the operations are, how far the answer reaches, and the first calls that went wrong.
func (p *printer) repaired(r *verdict.Result) {
	lin := r.Linearizability
	if lin == nil {
		return
	}
	lines := LinLines(lin)
	if lin.Calls == 0 { // not all clients were asked about
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		p.line("  %s", oneLine(line))
	}
	if lin.History != nil {
		p.line("")
		p.line("The smallest client that goes wrong as it is:")
	}
	p.history(r)
}

// linearizabilities prints what was compared with what under several models, and the mutants under each.
func (p *printer) linearizabilities(results []verdict.Result) {
	for i := range results {
		lin := results[i].Linearizability
		if lin == nil {
			continue
		}
		model, lines := strings.ToUpper(results[i].Model), LinLines(lin)
		if i == 0 {
			for _, line := range lines[:len(lines)-1] {
				p.line("  %s", oneLine(line))
			}
		}
		p.line("  under %s: %s", model, oneLine(lines[len(lines)-1]))
		if lin.History == nil {
			for _, hint := range lin.Hints {
				p.line("  under %s: %s", model, oneLine(hint))
			}
		}
		p.mutants(lin)
	}
}

// mutants prints what became of weaker code.
func (p *printer) mutants(lin *verdict.Linearizability) {
	if len(lin.Mutants) == 0 {
		return
	}
	p.line("")
	for _, line := range MutantLines(lin) {
		p.line("  %s", oneLine(line))
	}
}

// MutantLines says which mutants were noticed.
func MutantLines(lin *verdict.Linearizability) []string {
	var out []string
	n := map[verdict.Fate]int64{}
	for i := range lin.Mutants {
		m := &lin.Mutants[i]
		n[m.Fate]++
		line := fmt.Sprintf("%s: %s: ", m.Pos, m.Change)
		switch m.Fate {
		case verdict.MutantNoticed:
			line += "noticed by " + m.Client
		case verdict.MutantUnnoticed:
			line += "NO CLIENT NOTICES"
		case verdict.MutantUnknown:
			line += "not known: " + m.Why
		case verdict.MutantRefused:
			line += "does not compile"
		default:
			panic("BUG: a mutant without a fate")
		}
		out = append(out, line)
	}
	head := fmt.Sprintf("%s: %d noticed, %d unnoticed, %d not known, %d do not compile",
		counted(int64(len(lin.Mutants)), "mutant", "mutants"), n[verdict.MutantNoticed], n[verdict.MutantUnnoticed], n[verdict.MutantUnknown], n[verdict.MutantRefused])
	out = append([]string{head}, out...)
	if n[verdict.MutantUnnoticed] > 0 {
		out = append(out, "what no client notices is stronger than needed, as `fencepost orders --for linearizability` can tell, or shows in larger clients only")
	}
	return out
}

// calls prints the calls and what they returned as a table.
func (p *printer) calls(lin *verdict.Linearizability) {
	wide := len("call")
	for _, c := range lin.History.Calls {
		wide = max(wide, len(oneLine(c.Call)))
	}
	p.line("      thread  %-*s  returns", wide, "call")
	for i, c := range lin.History.Calls {
		returns := strings.Join(c.Results, ", ")
		if c.Pending {
			returns = "(pending)"
		}
		p.line("%4d  %-6s  %-*s  %s", i+1, threadOf(lin, i), wide, oneLine(c.Call), oneLine(returns))
	}
}

// ObjectLines says which functions are asked about.
func ObjectLines(lin *verdict.Linearizability) []string {
	object := "the globals of the file"
	if lin.Object != "" {
		object = lin.Object
	}
	out := []string{fmt.Sprintf("operations on %s: %s", object, strings.Join(lin.Operations, ", "))}
	var around []string
	if lin.Init != "" {
		around = append(around, "prepared by "+lin.Init)
	}
	if lin.Destroy != "" {
		around = append(around, "ended by "+lin.Destroy)
	}
	if len(around) > 0 {
		out = append(out, strings.Join(around, ", "))
	}
	return append(out, lin.LeftOut...)
}

// LinLines says what was asked and how far the answer reaches.
func LinLines(lin *verdict.Linearizability) []string {
	out := append(ObjectLines(lin), "compared with "+lin.Spec)
	covered := counted(int64(lin.Clients), "client", "clients")
	if lin.Programs > 0 {
		covered += fmt.Sprintf(", %s explored", counted(int64(lin.Programs), "program", "programs"))
	}
	if lin.Calls > 0 {
		covered = fmt.Sprintf("all clients with at most %d concurrent calls after at most %d others", lin.Calls, lin.Prefix)
		if lin.Drained {
			covered += ", and emptied at the end"
		}
		covered += fmt.Sprintf(": %s, %s", counted(int64(lin.Clients), "client", "clients"), counted(int64(lin.Programs), "program", "programs"))
	}
	return append(out, covered)
}

// HistoryLines says which calls had returned before others began, and what comes closest to an explanation.
func HistoryLines(h *verdict.History) []string {
	var out []string
	for _, b := range h.Before {
		out = append(out, fmt.Sprintf("Call %d had returned before call %d began.", b[0]+1, b[1]+1))
	}
	if h.Best != "" {
		out = append(out, "The best attempt: "+h.Best+".")
	}
	return out
}

// threadOf names the thread of a call.
func threadOf(lin *verdict.Linearizability, i int) string {
	calls := lin.History.Calls
	switch {
	case calls[i].Thread > 0:
		return fmt.Sprint(calls[i].Thread)
	case slices.ContainsFunc(calls[:i], func(c verdict.HistoryCall) bool { return c.Thread > 0 }):
		return "after"
	default:
		return "before"
	}
}
