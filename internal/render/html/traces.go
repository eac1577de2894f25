package html

import (
	"fmt"
	"io"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/text"
	"fencepost/verdict"
)

// gridItem is a drawing in the grid of traces, as the script reads it.
type gridItem struct {
	Address string `json:"address"`
	ID      string `json:"id"` // of the drawing
	Name    string `json:"name"`
	Reads   string `json:"reads"` // what the loads read, which a filter searches
	Cyclic  bool   `json:"cyclic"`
}

// maxTraceBytes is about how large a page of traces may get. A trace takes its drawing and its steps.
const maxTraceBytes = 1_600_000

// Traces writes the page of the traces of a program: a grid of happens-before graphs, each with an execution.
// Relations have the names given until the reader wants others.
func Traces(w io.Writer, set *verdict.TraceSet, names relation.Names) error {
	var list []verdict.Execution
	size := 0
	for i := range set.Traces {
		size += 700*len(set.Traces[i].Nodes) + 1000
		if set.Traces[i].Witness != nil {
			size += 60 * len(set.Traces[i].Witness.Steps)
		}
		if size > maxTraceBytes {
			break
		}
		list = append(list, relation.OfTrace(&set.Traces[i]))
	}
	one := result{
		heading: heading{ID: "r1", First: true, Word: plural(int(set.Count+set.Failing), "trace"), Under: "under " + strings.ToUpper(set.Model), Class: "plain"}, Program: set.Program, Question: "traces", Reason: "Every trace is possible under sequential consistency.", Sources: len(set.Sources) > 0,
		Stats: fmt.Sprintf("%s, %.3f s", plural(int(set.Stats.Executions), "execution"), set.Stats.Seconds),
	}
	if set.By == "reads-from" {
		one.Word = text.Count(set.Count+set.Failing) + " reads-from classes"
		if set.Count+set.Failing == 1 {
			one.Word = "1 reads-from class"
		}
		one.Reason = "In all executions of a class, every load reads from the same store."
	}
	if set.Failing > 0 {
		one.Reason = strings.TrimSpace(fmt.Sprintf("A check fails in %s of them. %s", text.Count(set.Failing), one.Reason))
	}
	if set.Cyclic > 0 {
		one.Class = "seen"
		one.Reason = text.Count(set.Cyclic) + " of them not possible under sequential consistency."
	}
	if set.Reason != "" || !set.Coverage.Exhaustive {
		one.Class, one.Next = "open", []string{"there may be more: " + strings.Join(more(set), "; ")}
	}
	if len(list) < len(set.Traces) {
		one.Reason += fmt.Sprintf(" The page shows the first %d; --json lists all.", len(list))
	}
	for _, warn := range set.Warnings {
		one.Warnings = append(one.Warnings, warning{positionText(warn.Pos), warn.Message, warn.Code})
	}
	files, words := newSources(set.Sources), newTable()
	data := resultData{ID: one.ID, Class: one.Class, Files: []int{}, Executions: []executionData{}}
	for i := range list {
		drawing, steps := newExecution(&list[i], fmt.Sprintf("r1e%d", i+1), set.Model, files, words)
		one.Executions = append(one.Executions, drawing)
		data.Executions = append(data.Executions, steps)
	}
	p := &page{frame: frame{Title: fmt.Sprintf("%s: %s %s", set.Program, one.Word, one.Under)}, Data: pageData{Files: []sourceFile{}}}
	p.add(one, data, files, map[string]int{})
	p.Data.Strings, p.Data.Groups = words.list, []group{{Name: set.Program, Results: []int{0}, Rows: []outcomeRow{}}}
	for i := range list {
		p.Data.Grid = append(p.Data.Grid, gridItem{
			Address: fmt.Sprintf("#r1e%d", i+1), ID: fmt.Sprintf("r1e%d", i+1), Name: list[i].Name, Reads: readsText(&set.Traces[i]), Cyclic: len(set.Traces[i].Cycle) > 0,
		})
	}
	return write(w, "page.html", p.with(names))
}

// more says why there may be more traces.
func more(set *verdict.TraceSet) []string {
	var out []string
	if set.Reason != "" {
		out = append(out, text.Reason(set.Reason))
	}
	for _, b := range set.Coverage.Met() {
		out = append(out, b.String())
	}
	if len(out) == 0 {
		out = append(out, "not all executions were explored")
	}
	return out
}

// readsText says what the loads of a trace read.
func readsText(t *verdict.Trace) string {
	var parts []string
	for _, n := range t.Nodes {
		if t.Witness == nil || n.Step < 0 || n.Step >= len(t.Witness.Steps) {
			continue
		}
		if s := &t.Witness.Steps[n.Step]; s.Kind == verdict.StepLoad || s.Kind == verdict.StepRMW {
			parts = append(parts, fmt.Sprintf("%s=%s", s.Cell(), s.ValueText()))
		}
	}
	return strings.Join(parts, " ")
}
