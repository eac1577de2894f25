package dot

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// colors of the relations off the cycle.
var colors = map[string]string{"po": "gray40", "st": "darkorange3", "src": "darkgreen", "cf": "blue", "sy": "purple",
	"mo": "darkorange3", "rf": "darkgreen", "rb": "blue", "sw": "purple"}

// Attack prints the happens-before relation of an attack's execution. Relations have the names given.
func Attack(w io.Writer, a *verdict.Attack, names relation.Names) {
	graph(w, "attack", a.String(), a, names)
}

// graph prints the nodes and edges of an attack under a name.
func graph(w io.Writer, name, label string, a *verdict.Attack, names relation.Names) {
	onCycle := map[int]bool{}
	for _, e := range a.Cycle {
		onCycle[e.From] = true
	}
	fmt.Fprintf(w, "digraph %s {\n  label=%s;\n  labelloc=t;\n  node [shape=box, fontname=monospace];\n", name, quote(label))
	for t, name := range a.Witness.Threads {
		fmt.Fprintf(w, "  subgraph cluster_%d {\n    label=%s;\n    color=gray80;\n", t, quote(name))
		for i, n := range a.Nodes {
			if n.Thread == t {
				fmt.Fprintf(w, "    n%d [label=%s%s];\n", i, quote(n.Text), nodeStyle(a, n, onCycle[i]))
			}
		}
		fmt.Fprintln(w, "  }")
	}
	edges(w, a, names)
	fmt.Fprintln(w, "}")
}

func nodeStyle(a *verdict.Attack, n verdict.TraceNode, onCycle bool) string {
	switch {
	case n.Step == a.StoreStep:
		return ", color=red, style=filled, fillcolor=mistyrose, tooltip=\"delayed\""
	case onCycle:
		return ", color=red"
	default:
		return ""
	}
}

// edges prints the relation. What the cycle needs of program order may skip nodes;
// such an edge is added.
func edges(w io.Writer, a *verdict.Attack, names relation.Names) {
	left := map[verdict.TraceEdge]bool{}
	for _, e := range a.Cycle {
		left[e] = true
	}
	for _, e := range a.Edges {
		edge(w, e, left[e], names)
		delete(left, e)
	}
	for _, e := range a.Cycle {
		if left[e] {
			edge(w, e, true, names)
		}
	}
}

func edge(w io.Writer, e verdict.TraceEdge, onCycle bool, names relation.Names) {
	color, extra := colors[e.Kind], ""
	if onCycle {
		color, extra = "red", ", penwidth=2"
	}
	if e.Kind != "po" {
		extra += ", constraint=false"
	}
	fmt.Fprintf(w, "  n%d -> n%d [label=%s, color=%s, fontcolor=%s%s];\n", e.From, e.To, quote(names.Of(e.Kind)), color, color, extra)
}

// quote makes a string of Graphviz's language. What is not printable is a dot.
func quote(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, s)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
