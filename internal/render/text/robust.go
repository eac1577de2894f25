package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// robustWords are the questions whose answers are printed here, and what is said if
// they hold and if they do not.
var robustWords = map[verdict.Question][2]string{
	verdict.Robustness:      {"robust", "not robust"},
	verdict.TriangularRaces: {"free of triangular races", "not free of triangular races"},
	verdict.StateRobustness: {"state-robust", "not state-robust"},
}

// Headline is the answer to a question in one plain line.
func Headline(r *verdict.Result) string {
	var b strings.Builder
	p := &printer{w: &b}
	_, robust := robustWords[r.Question]
	switch {
	case r.Repair != nil:
		p.fencesHeadline(r)
	case robust:
		p.robustHeadline(r)
	default:
		p.headline(r)
	}
	line, _, _ := strings.Cut(b.String(), "\n")
	return line
}

// Models prints the answers to whether a program is robust against several models as a table. It prints
// nothing for other results.
func Models(w io.Writer, results []verdict.Result, opt Options) {
	results = rows.AllForPeople(results)
	if len(results) < 2 {
		return
	}
	width := 0
	for i := range results {
		if _, ok := robustWords[results[i].Question]; !ok {
			return
		}
		word, _ := robustWord(&results[i])
		width = max(width, len(word))
	}
	p := &printer{w: w, opt: opt}
	p.line("  %-5s  %-*s  %s", "model", width, "answer", "result")
	for i := range results {
		r := &results[i]
		word, color := robustWord(r)
		said := strings.TrimPrefix(coverage(r.Coverage), ": ")
		if r.Verdict != verdict.Safe {
			said = oneLine(r.Reason)
		}
		p.line("  %-5s  %s  %s", strings.ToUpper(r.Model), p.opt.paint(color, word)+pad("", width-len(word)), said)
	}
	p.line("")
}

// robustWord returns the answer in words, and its color.
func robustWord(r *verdict.Result) (word, color string) {
	words := robustWords[r.Question]
	switch r.Verdict {
	case verdict.Safe:
		return words[0], green
	case verdict.Unsafe:
		return words[1], red
	default:
		return "unknown whether " + words[0], yellow
	}
}

// robust prints the answer to whether a program is robust.
func (p *printer) robust(r *verdict.Result) {
	p.robustHeadline(r)
	for _, warning := range r.Warnings {
		p.message("warning", warning.Code, warning.Pos, warning.Message)
	}
	for i := range r.Attacks {
		a := &r.Attacks[i]
		p.oneOf("Attack", i, len(r.Attacks), a.String())
		p.attack(a)
	}
	if t := r.Trace; t != nil && r.Cause == nil { // else the cause shows execution and cycle
		p.line("")
		p.execution(p.viewOf(&verdict.Execution{Witness: t.Witness}, ""))
		p.line("")
		p.line("Happens-before has a cycle:")
		p.chain(t.Nodes, t.Cycle)
	}
	for i := range r.Triangles {
		race := &r.Triangles[i]
		p.oneOf("Race", i, len(r.Triangles), race.String())
		p.race(race)
	}
	if r.Witness != nil && (r.Trace == nil || r.Cause != nil) {
		p.picture(&verdict.Execution{Reason: r.Reason, Verdict: r.Verdict, Witness: r.Witness, Cause: r.Cause}, r.Model)
	}
	p.reached(r.Coverage.Unsupported)
	p.leftOut(r)
	if len(r.Attacks) > 0 || r.Coverage.Unsupported.Shown() || len(r.Triangles) > 0 || r.Witness != nil || r.Trace != nil {
		p.line("")
	}
	if f := r.Stats.Filters; f != nil {
		p.line("%s", p.opt.paint(dim, filtersLine(f, r.Model)))
	}
	p.line("%s", p.opt.paint(dim, statsLine(r)))
}

// oneOf prints the headline of one of several things.
func (p *printer) oneOf(kind string, i, n int, what string) {
	p.line("")
	if n > 1 {
		p.line("%s", p.opt.paint(bold, fmt.Sprintf("%s %d of %d: %s", kind, i+1, n, oneLine(what))))
		p.line("")
	}
}

// filtersLine says how many pairs of a store and a load there are, under PSO of a store and a later
// load or store, how many were ruled out before the search, and how many were checked.
func filtersLine(f *verdict.Filters, model string) string {
	var parts []string
	add := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", Count(n), what))
		}
	}
	add(f.Fenced, "fenced")
	add(f.Apart, "apart from other threads")
	add(f.Forwarded, "forwarded")
	add(f.Acyclic, "without a cycle")
	text := counted(f.Pairs, "store-load pair", "store-load pairs")
	if model == "pso" {
		text = counted(f.Pairs, "pair of a store and a later access", "pairs of a store and a later access")
	}
	parts = append(parts, fmt.Sprintf("%s checked", Count(f.Left)))
	return text + ": " + strings.Join(parts, ", ")
}

func (p *printer) robustHeadline(r *verdict.Result) {
	word, color := robustWord(r)
	if r.Question != verdict.TriangularRaces { // which is about SC executions
		word += " against " + strings.ToUpper(r.Model)
	}
	head := fmt.Sprintf("%s: %s", ProgramName(r), p.opt.paint(color, word))
	switch r.Verdict {
	case verdict.Safe:
		done := work(r)
		if f := r.Stats.Filters; f != nil && r.Stats.States == 0 {
			past := "a load"
			if r.Model == "pso" {
				past = "a load or store"
			}
			done = fmt.Sprintf(" (%s: no store can be delayed past %s)", r.Engine, past)
		}
		p.line("%s%s%s", head, coverage(r.Coverage), done)
		p.certified(r)
	case verdict.Unsafe:
		p.line("%s%s: %s", head, instance(r), oneLine(r.Reason))
	default:
		p.unknown(head, r)
	}
}

// attack prints the execution with the delayed store marked, and the cycle.
func (p *printer) attack(a *verdict.Attack) {
	v := p.viewOf(&verdict.Execution{Witness: a.Witness, Attack: a}, "")
	v.mark(a.StoreStep, "delayed")
	p.execution(v)
	p.line("")
	p.line("Happens-before has a cycle:")
	p.chain(a.Nodes, a.Cycle)
}

// race prints the execution with the three accesses marked.
func (p *printer) race(a *verdict.Triangle) {
	v := p.viewOf(&verdict.Execution{Witness: a.Witness, Triangle: a}, "")
	v.mark(a.StoreStep, "may still be buffered")
	v.mark(a.LoadStep, "races")
	v.mark(len(a.Witness.Steps)-1, "races")
	p.execution(v)
}

// chain prints the cycle: t1 st x -po-> t1 ld y -cf-> t1 st x.
func (p *printer) chain(nodes []verdict.TraceNode, cycle []verdict.TraceEdge) {
	const indent = "  "
	if len(cycle) == 0 {
		return
	}
	line := indent + oneLine(nodes[cycle[0].From].Text)
	for _, e := range cycle {
		link := fmt.Sprintf(" -%s-> %s", e.Kind, oneLine(nodes[e.To].Text))
		if utf8.RuneCountInString(line+link) > p.opt.width() {
			p.line("%s", line)
			line = indent + " "
		}
		line += link
	}
	p.line("%s", line)
}
