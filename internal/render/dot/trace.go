package dot

import (
	"fmt"
	"io"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// Trace prints a Shasha-Snir trace. Relations have the names given.
func Trace(w io.Writer, t *verdict.Trace, names relation.Names) {
	// A trace is drawn as an attack is, with nothing delayed.
	a := &verdict.Attack{Witness: t.Witness, Nodes: t.Nodes, Edges: t.Edges, Cycle: t.Cycle, StoreStep: -1}
	label := t.Name()
	if t.Cycle != nil {
		label += ", not possible under sequential consistency"
	}
	graph(w, fmt.Sprintf("trace%d", t.Number), label, a, names)
}
