package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// Comparable reports whether results are the same question under several models, with nothing to list besides the
// final states.
func Comparable(results []verdict.Result) bool {
	seen := map[string]bool{}
	for i := range results {
		r := &results[i]
		_, other := robustWords[r.Question]
		if other || r.Program != results[0].Program || seen[r.Model] || len(r.Others) > 0 || r.Litmus != nil {
			return false
		}
		seen[r.Model] = true
	}
	return len(results) > 1
}

// Comparison prints the answers of several models as a table, and then the first
// difference between two of them.
func Comparison(w io.Writer, results []verdict.Result, opt Options) {
	results = rows.AllForPeople(results)
	p := &printer{w: w, opt: opt}
	p.line("%s: %s", ProgramName(&results[0]), p.opt.paint(bold, summary(results)))
	p.line("")
	width := len("not observed")
	p.line("  %-5s  %-*s  %s", "model", width, "verdict", "result")
	for i := range results {
		r := &results[i]
		_, color := verdictWord(r.Verdict)
		word := VerdictWord(r)
		p.line("  %-5s  %s  %s", strings.ToUpper(r.Model), p.opt.paint(color, word)+pad("", width-len(word)), detail(r))
	}
	p.linearizabilities(results)
	p.checkedOnce(results)
	for i := range results {
		if len(results[i].Next) > 0 {
			p.next(&results[i])
			break
		}
	}
	told := map[string]bool{}
	for i := range results {
		for _, warning := range results[i].Warnings {
			if key := fmt.Sprint(warning.Code, warning.Pos, warning.Message); !told[key] {
				told[key] = true
				p.message("warning", warning.Code, warning.Pos, warning.Message)
			}
		}
	}
	p.compareFinals(results)
	for i := range results {
		if results[i].Witness != nil {
			p.firstWitness(results, i)
			return
		}
	}
}

// checkedOnce says what the answers are about, which is the same for all models but c11.
func (p *printer) checkedOnce(results []verdict.Result) {
	said, first := "", ""
	for i := range results {
		r := &results[i]
		if r.Coverage.Checked == nil {
			continue
		}
		switch text := CheckedText(r.Question, r.Coverage.Checked); {
		case said == "":
			p.line("  %s", text)
			said, first = text, r.Model
		case text != said && (r.Model == "c11" || first == "c11"):
			p.line("  under %s, %s", strings.ToUpper(r.Model), text)
		}
	}
}

// compareFinals prints which final states there are under which model.
func (p *printer) compareFinals(results []verdict.Result) {
	var states []string
	for i := range results {
		states = append(states, results[i].FinalStates...)
	}
	if len(states) == 0 {
		return
	}
	slices.Sort(states)
	states = slices.Compact(states)
	head := counted(int64(len(states)), "final state", "final states")
	width := utf8.RuneCountInString(head)
	for i := range states {
		width = max(width, utf8.RuneCountInString(oneLine(states[i])))
	}
	row := func(first string, cell func(*verdict.Result) string) {
		line := "  " + pad(first, width)
		for i := range results {
			line += "  " + pad(cell(&results[i]), len("TSO"))
		}
		p.line("%s", strings.TrimRight(line, " "))
	}
	p.line("")
	row(head, func(r *verdict.Result) string { return strings.ToUpper(r.Model) })
	for _, s := range states {
		row(oneLine(s), func(r *verdict.Result) string {
			switch {
			case slices.Contains(r.FinalStates, s):
				return "x"
			case r.Verdict == verdict.Unknown || !r.Coverage.Complete():
				return "?"
			default:
				return "-"
			}
		})
	}
	p.leftOut(&results[0])
	p.line("An execution for each: --html FILE.")
}

// summary returns the comparison in words: safe under SC, unsafe under TSO and PSO.
func summary(results []verdict.Result) string {
	var words []string
	models := map[string][]string{}
	for i := range results {
		word := VerdictWord(&results[i])
		if models[word] == nil {
			words = append(words, word)
		}
		models[word] = append(models[word], strings.ToUpper(results[i].Model))
	}
	for i, word := range words {
		list := models[word]
		names := list[0]
		if n := len(list); n > 1 {
			names = strings.Join(list[:n-1], ", ") + " and " + list[n-1]
		}
		words[i] = word + " under " + names
	}
	return strings.Join(words, ", ")
}

// detail is the last column of the table.
func detail(r *verdict.Result) string {
	switch r.Verdict {
	case verdict.Safe, verdict.NotObserved:
		return strings.TrimLeft(coverage(r.Coverage), ":, ") + work(r)
	case verdict.Unsafe, verdict.Observed:
		return placed(r.Reason, r.Pos)
	default:
		return Reason(r.Reason)
	}
}

// firstWitness shows the execution under the first model that has one, and what
// it is that the models differ in.
func (p *printer) firstWitness(results []verdict.Result, i int) {
	r := &results[i]
	p.line("")
	before := ""
	for j := range results[:i] {
		if results[j].Verdict != r.Verdict && results[j].Verdict != verdict.Unknown {
			before = strings.ToUpper(results[j].Model)
		}
	}
	if before == "" {
		p.line("The execution under %s:", strings.ToUpper(r.Model))
	} else {
		p.line("What %s adds to %s:", strings.ToUpper(r.Model), before)
	}
	p.history(r)
	p.picture(&verdict.Execution{Reason: r.Reason, Verdict: r.Verdict, Witness: r.Witness, Cause: r.Cause}, r.Model)
	for j := i + 1; j < len(results); j++ {
		if results[j].Witness != nil {
			p.line("")
			if p.opt.Stored {
				p.line("The executions of the other models are on the page (--html).")
			} else {
				p.line("The executions of the other models: --model %s, or --json.", results[j].Model)
			}
			break
		}
	}
}
