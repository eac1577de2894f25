package pipeline

import (
	"fmt"
	"strings"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/shorten"
	"fencepost/query"
	"fencepost/verdict"
)

// AskDefaultEndless adds the question which loops end to the properties of a flat program, if it is asked by default: where deadlock is
// asked, loops that only wait must end.
func AskDefaultEndless(e *query.Endless, props *property.Set, flat *ir.Program) {
	if e.Liveness == "" && props.Deadlock && analysis.MayIdle(flat) {
		props.Endless = true
	}
}

// EndlessOnlyCounts reports whether the question is asked by default and needs no search: the program has no loop that may only
// wait.
func EndlessOnlyCounts(e *query.Endless, props *property.Set, flat *ir.Program) bool {
	return e.Liveness == "" && props.Deadlock && !analysis.MayIdle(flat)
}

// AskEndless adds the question which loops end to the properties of a program, if the user asked it.
func AskEndless(e *query.Endless, props *property.Set) {
	switch e.Liveness {
	case query.LivenessSpin:
		props.Endless = true
	case query.LivenessFair:
		props.Endless, props.Fairness, props.Starving = true, property.Random, e.Starvation
		if e.Fairness == query.FairnessWeak {
			props.Fairness = property.Weak
		}
	}
}

// Loops says which threads go round loops for ever at the end of an execution, what they read there, and
// what has become of the threads that write it.
func Loops(flat *ir.Program, model memory.Model, w *verdict.Witness) (string, error) {
	all, err := shorten.Loops(flat, model, w)
	if err != nil {
		return "", err
	}
	n := newNarrator(w)
	var parts []string
	for _, loop := range all {
		text := fmt.Sprintf("%s loops for ever%s", loop.Thread, n.at(loop.Step))
		for i, read := range loop.Reads {
			text += []string{": it reads ", ", "}[min(i, 1)] + readText(&w.Steps[read.Step])
		}
		for _, read := range loop.Reads {
			text += writersText(w.Steps[read.Step].Location, read.Writers)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ". "), nil
}

func readText(st *verdict.Step) string {
	value := fmt.Sprint(st.Value)
	if st.Points != "" {
		value = st.Points
	}
	if st.Number != "" {
		value = st.Number
	}
	return fmt.Sprintf("%s = %s", st.Location, value)
}

// writersText says what the threads do that write a location.
func writersText(location string, writers []shorten.Writer) string {
	if len(writers) == 0 {
		return fmt.Sprintf("; no other thread writes %s", location)
	}
	var parts []string
	for _, w := range writers {
		parts = append(parts, fmt.Sprintf("%s, which %s %s, %s", w.Thread, map[bool]string{false: "writes", true: "may write"}[w.May], location, w.Does))
	}
	return "; " + strings.Join(parts, "; ")
}
