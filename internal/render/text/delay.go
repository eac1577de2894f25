package text

import (
	"fmt"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// delaySentence says in one sentence which store was delayed past which access.
func delaySentence(w *verdict.Witness, model string, v verdict.Verdict) string {
	subject := "violation"
	if v == verdict.Observed {
		subject = "outcome"
	}
	if strings.EqualFold(model, "sc") {
		return fmt.Sprintf("Under SC no store is ever delayed: the order of the threads' steps alone leads to this %s.", subject)
	}
	e := relation.DecisiveOf(w)
	switch {
	case !e.Found && e.Signals:
		return "No store was delayed past a load of its thread, but stores were buffered when the thread woke or signalled another."
	case !e.Found:
		return fmt.Sprintf("No store was delayed: the %s is possible under sequential consistency, too.", subject)
	}
	sentence := reordered(w, e.Reorder)
	if e.Cycle {
		return sentence + "."
	}
	return fmt.Sprintf("%s. If --model sc finds the %s, too, this delay does not cause it.", sentence, subject)
}

func reordered(w *verdict.Witness, r relation.Reorder) string {
	first, second := w.Steps[r.First], w.Steps[r.Second]
	name := oneLine(w.Threads[first.Thread])
	store := fmt.Sprintf("%s's store %s%s", name, assignment(&first), at(first))
	source := "memory"
	switch {
	case second.ReadsMemory() && len(second.FromBytes) > 0:
		source = "memory and that buffer"
	case len(second.FromBytes) > 0:
		source = "several entries of it"
	case second.From > r.First:
		source = "a newer entry of it"
	case second.From > 0:
		source = "an older entry of it"
	}
	switch {
	case second.Kind == verdict.StepLoad:
		return fmt.Sprintf("%s was still in its store buffer when %s read %s = %s from %s%s",
			store, name, oneLine(second.Cell()), oneLine(second.ValueText()), source, at(second))
	case flushed(w, r.First):
		return fmt.Sprintf("%s reached memory after its later store %s%s", store, assignment(&second), at(second))
	default:
		return fmt.Sprintf("%s was still in its store buffer when its later store %s%s reached memory",
			store, assignment(&second), at(second))
	}
}

func flushed(w *verdict.Witness, store int) bool {
	for _, s := range w.Steps {
		if s.Kind == verdict.StepFlush && s.Of == store {
			return true
		}
	}
	return false
}

func at(s verdict.Step) string {
	if s.Pos == nil || s.Pos.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", oneLine(s.Pos.Brief()))
}

// assignment returns the assignment that a store makes, on one line.
func assignment(s *verdict.Step) string { return oneLine(rows.Assignment(s)) }
